using Holdfast.Broker.RabbitMq;
using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>Who is told to stop ends what it has begun: no wait for a broker is cut off in its middle.</summary>
public sealed class TimeToEndTests
{
    private static readonly TimeSpan s_longestHeartbeat = TimeSpan.FromMinutes(10);

    [Fact]
    public void A_commit_and_what_must_be_put_back_after_it_are_waited_for() =>
        Assert.True(CommandLine.TimeToEnd("replay") > 2 * Batches.ToCommit);

    [Fact]
    public void A_confirmation_is_waited_for_whatever_the_heartbeat() =>
        Assert.True(CommandLine.TimeToEnd("send") > new Outbox(null!, null!, null!, null!, new() { Uri = "amqp://nobody", Heartbeat = s_longestHeartbeat }).Patience);

    [Fact]
    public void Who_only_looks_ends_soon() => Assert.InRange(CommandLine.TimeToEnd("peek")!.Value, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1));

    [Fact]
    public void A_worker_drains_for_as_long_as_its_settings_say() => Assert.Null(CommandLine.TimeToEnd("run"));
}
