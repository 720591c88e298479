namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A broker that is gone for a while.</summary>
public sealed class AbsenceTests
{
    [Fact]
    public async Task A_broker_that_is_gone_for_five_seconds_costs_no_lease()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        var sent = Port.Names(20);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 8);
        await Eventually.HoldsAsync("all to be held", () => consuming.Queue.LeasesHeld == sent.Length);

        await trial.Control.GoAwayAsync();
        await Task.Delay(TimeSpan.FromSeconds(5));
        await trial.Control.ComeBackAsync();

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        Assert.Equal(0, consuming.Queue.Misses);
        Assert.Equal(0, (await trial.Control.StatsAsync()).ExpiredLocks);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_broker_that_is_gone_for_longer_than_the_lock_costs_leases_that_are_counted_and_no_message()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 3);
        var sent = Port.Names(10);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        var isAway = true;
        await using var consuming = await Consuming.StartAsync(trial.Broker, Trial.Queue, async (_, cancel) =>
        {
            if (Volatile.Read(ref isAway))
                await Task.Delay(Timeout.Infinite, cancel);
            return Settlement.Complete;
        });
        await Eventually.HoldsAsync("all to be held", () => consuming.Queue.LeasesHeld == sent.Length);

        await trial.Control.GoAwayAsync();
        await Eventually.HoldsAsync("each lease to be missed", () => consuming.Queue.Misses == sent.Length);
        Volatile.Write(ref isAway, false);
        await trial.Control.ComeBackAsync();

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        Assert.InRange(consuming.Queue.Misses, sent.Length, long.MaxValue);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_receiver_says_that_the_broker_is_gone_and_that_it_is_back()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        Assert.True(receiver.IsConnected);

        await trial.Control.GoAwayAsync();
        await Eventually.HoldsAsync("the absence to be noticed", () => !receiver.IsConnected);
        var gone = await Assert.ThrowsAsync<BrokerException>(async () => await receiver.ReceiveAsync(new Delivery[1], default));
        Assert.True(gone.IsTransient);
        await trial.Control.ComeBackAsync();

        await Eventually.SucceedsAsync("a message to be sent", () => trial.Broker.SendAsync(Trial.Queue, "a"));
        await receiver.CompleteAsync(await receiver.TakeAsync());
        Assert.True(receiver.IsConnected);
    }
}
