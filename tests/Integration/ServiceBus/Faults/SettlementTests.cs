using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Settlements that do not go as they should: none is taken for done that is not, and none is lost.</summary>
public sealed class SettlementTests
{
    [Fact]
    public async Task A_settlement_that_comes_after_the_lock_has_ended_is_refused_and_the_message_comes_again()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        var (receiver, held) = await HoldAsync(trial);
        await using var owned = receiver;

        await trial.Control.AdvanceAsync(TimeSpan.FromSeconds(20));

        Assert.False(await receiver.SettleAsync(held, Settlement.Complete, default));
        var again = await receiver.TakeAsync();
        Assert.Equal(2, again.DeliveryCount);
        await receiver.CompleteAsync(again);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_dead_letter_that_is_to_die_again_stays_and_comes_again_when_its_lock_ends()
    {
        const string Dead = $"{PrivateNamespace.Queue}/$DeadLetterQueue";
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await using var dead = await broker.OpenReceiverAsync(Dead, default);
        await broker.SendAsync(PrivateNamespace.Queue, "1");
        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.DeadLetter("Bad", "Too bad."), default));

        var letter = await dead.TakeAsync();
        Assert.True(await dead.SettleAsync(letter, Settlement.DeadLetter("Worse", "Still bad."), default));

        Assert.False(await dead.SettleAsync(letter, Settlement.Complete, default));
        Assert.Equal(1, (await server.Control.CountsAsync(Dead)).Locked);
        await server.Control.AdvanceAsync(letter.LockDuration);
        Assert.Equal(2, (await dead.TakeAsync()).DeliveryCount);
    }

    [Fact]
    public async Task A_settlement_that_a_busy_broker_refuses_can_be_tried_again()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Control.FaultAsync(new Fault("settle", FaultEffect.ServerBusy) { Times = 1 });
        var (receiver, held) = await HoldAsync(trial);
        await using var owned = receiver;

        var refused = await Assert.ThrowsAsync<BrokerException>(async () => await receiver.SettleAsync(held, Settlement.Complete, default));

        Assert.True(refused.IsTransient);
        await receiver.CompleteAsync(held);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_settlement_during_which_the_connection_breaks_can_be_made_on_the_next_one()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Control.FaultAsync(new Fault("settle", FaultEffect.Cut) { Times = 1 });
        var (receiver, held) = await HoldAsync(trial);
        await using var owned = receiver;

        var broken = await Assert.ThrowsAsync<BrokerException>(async () => await receiver.SettleAsync(held, Settlement.Complete, default));

        Assert.True(broken.IsTransient);
        await Eventually.SucceedsAsync("the message to be settled", () => receiver.CompleteAsync(held));
        await trial.NothingIsLeftAsync();
    }

    [Theory]
    [InlineData(FaultEffect.Nonsense, 1)]
    [InlineData(FaultEffect.LostReply, 0)]
    public async Task A_settlement_that_was_done_but_not_answered_so_is_never_done_twice(FaultEffect effect, int misses)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20, patience: 1);
        await trial.Control.FaultAsync(new Fault("settle", effect) { Times = 1 });
        var sent = Port.Names(3);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 0.1);

        await consuming.DoneAsync(sent.Length);
        await trial.NothingIsLeftAsync();

        Assert.Equal((0, misses), (consuming.Repeats, consuming.Queue.Misses));
        Assert.Equal(sent.Length, (await trial.Control.StatsAsync()).Of("settle/complete"));
    }

    [Theory]
    [InlineData(FaultEffect.Silent)]
    [InlineData(FaultEffect.LostReply)]
    public async Task A_settlement_that_is_never_answered_and_never_called_off_is_told_by_the_lock(FaultEffect effect)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20, patience: 1);
        await trial.Control.FaultAsync(new Fault("settle", effect) { Times = 1 });
        var (receiver, held) = await HoldAsync(trial);
        await using var owned = receiver;

        var settling = receiver.SettleAsync(held, Settlement.Complete, CancellationToken.None).AsTask();

        Assert.True(await settling.WaitAsync(TimeSpan.FromSeconds(15)));
        await trial.NothingIsLeftAsync();
        Assert.Equal(0, (await trial.Control.StatsAsync()).ExpiredLocks);
    }

    [Fact]
    public async Task Slow_settlements_lose_nothing()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 5);
        await trial.Control.FaultAsync(new Fault("settle", FaultEffect.Delay) { Milliseconds = 1500 });
        var sent = Port.Names(20);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 0.1);

        await consuming.DoneAsync(sent.Length);
        await trial.NothingIsLeftAsync();

        Assert.Equal((0, 0), (consuming.Repeats, consuming.Queue.Misses));
    }

    private static async Task<(IReceiver Receiver, Delivery Held)> HoldAsync(Trial trial)
    {
        await trial.Broker.SendAsync(Trial.Queue, "a");
        var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        return (receiver, await receiver.TakeAsync());
    }
}
