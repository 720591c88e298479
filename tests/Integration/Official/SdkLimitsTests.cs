using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>What Service Bus does not let anybody do, through Microsoft's client: it costs no more than through our own.</summary>
public sealed class SdkLimitsTests
{
    private const string Queue = PrivateNamespace.Queue;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task In_a_full_queue_a_failed_message_can_t_wait_and_is_given_back_at_once_and_counted(bool requiresSession)
    {
        await using var server = await PrivateNamespace.StartAsync(Limits.Narrow(requiresSession));
        await using var broker = server.NewSdkBroker(sessions: requiresSession);

        await Limits.GiveBackWhatCanNotWaitAsync(broker, requiresSession);
    }

    [Fact]
    public async Task A_broker_that_is_too_busy_for_a_delay_says_for_how_long_and_the_message_is_still_ours()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(60) });
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await broker.SendAsync(Queue, "1");
        var failed = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("schedule-message", FaultEffect.ServerBusy) { Times = 1 });

        var busy = await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(failed, Settlement.Delay(TimeSpan.FromHours(1)), default).AsTask());

        Assert.True(busy.IsTransient);
        Assert.NotNull(busy.RetryAfter);
        Assert.Null(failed.NotDelayed);
        Assert.True(await receiver.SettleAsync(failed, Settlement.Delay(TimeSpan.FromHours(1)), default));
        Assert.Equal(1, (await server.Control.CountsAsync(Queue)).Scheduled);
    }

    [Fact]
    public async Task A_dead_letter_is_handled_however_often_it_came_before()
    {
        await using var server = await PrivateNamespace.StartAsync(Limits.Burying);
        await using var broker = server.NewSdkBroker();
        await Limits.BuryAsync(broker);

        await using var dead = await broker.OpenReceiverAsync($"{Queue}/$DeadLetterQueue", default);
        var first = await dead.TakeAsync();
        Assert.Equal((1, 13), (first.Tries, first.DeliveryCount));
        Assert.True(await dead.SettleAsync(first, Settlement.Abandon, default));
        Assert.Equal(2, (await dead.TakeAsync()).Tries);
    }
}
