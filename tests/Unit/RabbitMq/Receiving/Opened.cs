using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>An intake of the queue orders on a fake channel.</summary>
internal static class Opened
{
    public static TimeSpan LockDuration { get; } = TimeSpan.FromSeconds(20);

    public static TimeSpan HoldLimit { get; } = TimeSpan.FromMinutes(30);

    public static Intake On(FakeChannel channel, TimeProvider time, Recollection? recollection = null, DroughtPatience? patience = null, bool inOrder = false) =>
        new(
            "orders",
            channel.Channel,
            LockDuration,
            HoldLimit,
            recollection ?? new Recollection(),
            patience ?? new DroughtPatience(),
            new ShortLives(time),
            time,
            problem => problem as BrokerException ?? new BrokerException(problem.Message, isTransient: true, problem))
        {
            Look = channel.LookAsync,
            IsInOrder = inOrder,
        };

    public static Intake Idle() => On(FakeChannel.Open(), TimeProvider.System);
}
