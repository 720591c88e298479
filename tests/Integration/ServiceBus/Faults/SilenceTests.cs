using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A path that is cut without a word, and what only looks like one.</summary>
public sealed class SilenceTests
{
    [Fact]
    public async Task A_path_that_is_cut_without_a_word_is_found_out_in_time_for_every_lease()
    {
        await using var space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(30) });
        await using var proxy = new TcpProxy("127.0.0.1", space.Server.Port);
        await using var broker = space.NewBroker(port: proxy.Port);
        var sent = Port.Names(10);
        await broker.SendAsync(PrivateNamespace.Queue, sent);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, async (_, cancel) =>
        {
            await release.Task.WaitAsync(cancel);
            return Settlement.Complete;
        });
        await Eventually.HoldsAsync("all to be held", () => consuming.Queue.LeasesHeld == sent.Length);

        proxy.Swallow(Traffic.BothWays);
        await Eventually.HoldsAsync("another connection to be tried", () => proxy.Accepted > 1);
        proxy.Heal();
        await Eventually.HoldsAsync("each lock to be renewed", async () => (await space.Control.StatsAsync()).Of("renewed-locks") >= sent.Length);
        release.SetResult();

        await consuming.DoneAsync(sent.Length);
        Assert.Equal((0, 0), (consuming.Queue.Misses, consuming.Repeats));
        Assert.Equal(0, (await space.Control.StatsAsync()).ExpiredLocks);
    }

    [Fact]
    public async Task A_settlement_on_a_path_that_is_cut_is_made_on_another_while_the_lock_lasts()
    {
        await using var space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(60) });
        await using var proxy = new TcpProxy("127.0.0.1", space.Server.Port);
        await using var broker = space.NewBroker(port: proxy.Port);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();

        proxy.Swallow(Traffic.BothWays);
        var settling = receiver.SettleAsync(held, Settlement.Complete, default).AsTask();
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling.WaitAsync(TimeSpan.FromSeconds(20)))).IsTransient);
        proxy.Heal();

        await Eventually.SucceedsAsync("the message to be settled", () => receiver.CompleteAsync(held));
        Assert.Equal(0, (await space.Control.CountsAsync(PrivateNamespace.Queue)).Total);
    }

    [Fact]
    public async Task A_broker_that_is_slow_to_answer_but_alive_keeps_its_connection()
    {
        await using var space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(60) });
        await using var proxy = new TcpProxy("127.0.0.1", space.Server.Port);
        await using var broker = space.NewBroker(port: proxy.Port);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        var held = await receiver.TakeAsync();
        await space.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Delay) { Milliseconds = 10_000 });

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));

        Assert.Equal(1, proxy.Accepted);
    }
}
