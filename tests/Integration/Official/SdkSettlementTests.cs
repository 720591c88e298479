using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Settlements through Microsoft's client that do not go as they should.</summary>
public sealed class SdkSettlementTests
{
    [Fact]
    public async Task A_completion_whose_answer_was_lost_with_its_link_is_done_when_it_is_told_again()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker(patience: 1);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.LostReply) { Times = 1 });

        await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Complete, default).AsTask());
        await server.Control.CutAsync(CutLevel.Socket);

        // While the link lives the client tells it what the broker does not answer twice. Once it has none, it asks by the lock's token.
        await Eventually.SucceedsAsync("the message to be settled", () => receiver.CompleteAsync(held));
        Assert.Equal(0, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Total);
    }

    [Fact]
    public async Task A_message_that_could_not_be_delayed_at_first_is_there_once_when_its_lock_was_lost_at_the_next_try()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20) });
        await using var broker = server.NewSdkBroker(patience: 1);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("schedule-message", FaultEffect.Silent) { Times = 1 });
        await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Delay(TimeSpan.FromHours(1)), default).AsTask());
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(21));

        Assert.False(await receiver.SettleAsync(held, Settlement.Delay(TimeSpan.FromHours(1)), default));

        var counts = await server.Control.CountsAsync(PrivateNamespace.Queue);
        Assert.Equal((0, 1), (counts.Scheduled, counts.Active));
    }
}
