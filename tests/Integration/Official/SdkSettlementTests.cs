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
    public async Task What_was_completed_as_far_as_we_could_tell_and_comes_again_is_known()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20) });
        await using var broker = server.NewSdkBroker(patience: 1);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.Silent) { Times = 1 });
        await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Complete, default).AsTask());

        // The broker ends the lock before its time, and so it looks like the settlement's doing.
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(21));
        await server.Control.CutAsync(CutLevel.Socket);
        await Eventually.SucceedsAsync("the message to count as settled", () => receiver.CompleteAsync(held));

        var again = await receiver.TakeAsync();
        Assert.Equal(("a", true), (again.Message.Id, again.WasSettled));
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        Assert.False((await receiver.TakeAsync()).WasSettled);
    }

    [Fact]
    public async Task A_settlement_that_was_refused_has_not_ended_the_lock_and_what_is_lost_after_it_is_a_loss()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20) });
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.ServerBusy) { Times = 1, Description = "Please wait 7 seconds and try again." });

        var busy = await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Complete, default).AsTask());
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(21));

        Assert.Equal((true, TimeSpan.FromSeconds(7)), (busy.IsTransient, busy.RetryAfter));
        Assert.False(await receiver.SettleAsync(held, Settlement.Complete, default));
        Assert.False((await receiver.TakeAsync()).WasSettled);
    }

    [Fact]
    public async Task That_we_are_not_let_in_may_be_mended_while_the_lock_lasts()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.Fail) { Times = 1, Condition = "amqp:unauthorized-access" });

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Complete, default).AsTask())).IsTransient);
        await receiver.CompleteAsync(held);
    }

    [Fact]
    public async Task What_was_delayed_and_then_put_aside_begins_to_count_anew_and_its_fencing_tokens_grow_all_the_same()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromMinutes(1)), default));
        await server.Control.AdvanceAsync(TimeSpan.FromMinutes(1));
        var last = await receiver.TakeAsync();
        Assert.True(await receiver.SettleAsync(last, Settlement.DeadLetter("Bad", "Too bad."), default));

        await using var dead = await broker.OpenReceiverAsync($"{PrivateNamespace.Queue}/$DeadLetterQueue", default);
        var letter = await dead.TakeAsync();

        Assert.Equal((2, 1), (last.DeliveryCount, letter.DeliveryCount));
        Assert.True(last.FencingToken < letter.FencingToken);
    }

    [Fact]
    public async Task A_copy_s_life_begins_anew_for_the_end_of_its_original_may_be_over()
    {
        var life = TimeSpan.FromMinutes(2);
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, new Message { Id = "a", TimeToLive = life });

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromMinutes(10)), default));
        await server.Control.AdvanceAsync(TimeSpan.FromMinutes(10));

        Assert.Equal(life, (await receiver.TakeAsync()).Message.TimeToLive);
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
