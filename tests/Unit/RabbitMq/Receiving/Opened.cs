using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>An intake of the queue orders on a fake channel.</summary>
internal static class Opened
{
    public static Intake On(FakeChannel channel, TimeProvider time, Recollection? recollection = null) =>
        new(
            "orders",
            channel.Channel,
            TimeSpan.FromSeconds(20),
            TimeSpan.FromMinutes(30),
            recollection ?? new Recollection(),
            time,
            problem => new BrokerException(problem.Message, isTransient: true, problem));

    public static Intake Idle() => On(FakeChannel.Open(), TimeProvider.System);
}
