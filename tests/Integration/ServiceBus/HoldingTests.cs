using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Many messages held at once. How often they are renewed is another thing where answers are late, as they are on a machine that others keep busy.</summary>
[Collection(nameof(Alone))]
public sealed class HoldingTests
{
    [Fact]
    public async Task A_thousand_held_messages_are_kept_with_at_most_ten_requests_for_each_lease_period()
    {
        const int Count = 1000;
        var lockDuration = TimeSpan.FromSeconds(8);
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = lockDuration });
        await using var broker = server.NewBroker();
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await SendAsync(broker, Count);

        await using var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, HandleAsync, options => (options.MaxConcurrency, options.Admission) = (Count, AdmissionMode.Fixed));
        await Eventually.HoldsAsync("all messages to be held", () => consuming.Queue.LeasesHeld == Count);
        await server.Control.ClearStatsAsync();
        const int Periods = 3;
        await Task.Delay(lockDuration * Periods);
        var stats = await server.Control.StatsAsync();
        release.SetResult();
        await consuming.DoneAsync(Count);

        Assert.InRange(stats.Of("renewed-locks"), Count * Periods, long.MaxValue);
        Assert.InRange(stats.Of("renew-lock"), Periods, 10 * Periods);
        Assert.Equal(0, consuming.Queue.Misses);
        Assert.Equal(0, consuming.Repeats);
        TestContext.Current.TestOutputHelper?.WriteLine($"{stats.Of("renew-lock")} requests for {stats.Of("renewed-locks")} locks in {Periods} periods");

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            await release.Task.WaitAsync(cancel);
            return Settlement.Complete;
        }
    }

    [Theory]
    [InlineData(60, 5)]
    [InlineData(5, 60)]
    public async Task A_lock_that_is_renewed_lasts_no_longer_than_the_queue_has_it_by_then(int before, int after)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(before) });
        await using var broker = server.NewBroker();
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var held = await receiver.TakeAsync();
        Assert.InRange(held.LockDuration.TotalSeconds, before - 1, before);

        await server.Control.PutQueueAsync(PrivateNamespace.Queue, new QueueSettings { LockDuration = TimeSpan.FromSeconds(after) });
        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));

        Assert.InRange(held.LockDuration.TotalSeconds, Math.Min(before, after) - 1, Math.Min(before, after) + 1);
    }

    [Fact]
    public async Task Ten_thousand_messages_that_there_is_room_for_come_at_once_and_are_kept_and_settled()
    {
        const int Count = 10_000;
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromMinutes(5) });
        await using var broker = server.NewBroker();
        await SendAsync(broker, Count);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));

        var held = new Delivery[Count];
        for (var had = 0; had < Count;)
            had += await receiver.ReceiveAsync(held.AsMemory(had), patience.Token);
        Assert.Equal(Count, held.Select(delivery => delivery.Message.Id).Distinct().Count());
        Assert.Equal(Count, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Locked);

        var outcomes = new Renewal[receiver.RenewalBatch];
        foreach (var batch in held.Chunk(receiver.RenewalBatch))
        {
            await receiver.RenewAsync(batch, outcomes, default);
            Assert.All(outcomes[..batch.Length], outcome => Assert.Equal(Renewal.Renewed, outcome));
        }

        Assert.All(await Task.WhenAll(held.Select(delivery => receiver.SettleAsync(delivery, Settlement.Complete, default).AsTask())), Assert.True);
        Assert.Equal(0, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Total);
    }

    [Fact]
    public async Task One_lock_that_is_lost_among_many_costs_no_other()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(30) });
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "old");
        var old = await receiver.TakeAsync();
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(20));
        await SendAsync(broker, 99);
        var due = new Delivery[100];
        for (var had = 0; had < 99;)
            had += await receiver.ReceiveAsync(due.AsMemory(had, 99 - had), default);
        (due[99], due[42]) = (due[42], old);
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(15));

        var outcomes = new Renewal[100];
        await receiver.RenewAsync(due, outcomes, default);

        Assert.Equal(Enumerable.Range(0, 100).Select(n => n == 42 ? Renewal.Lost : Renewal.Renewed), outcomes);
    }

    private static async Task SendAsync(ServiceBusBroker broker, int count)
    {
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        await Task.WhenAll(Enumerable.Range(0, count).Select(n => sender.SendAsync(new Message { Id = $"{n}", Body = new byte[64] }, TimeSpan.Zero, default).AsTask()));
    }
}
