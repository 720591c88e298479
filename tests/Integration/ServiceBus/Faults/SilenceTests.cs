using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;
using Holdfast.Virtual;

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
        await using var held = await HeldByProxy.StartAsync();

        held.Proxy.Swallow(Traffic.BothWays);
        var settling = held.Receiver.SettleAsync(held.Message, Settlement.Complete, default).AsTask();
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling.WaitAsync(TimeSpan.FromSeconds(20)))).IsTransient);
        held.Proxy.Heal();

        await Eventually.SucceedsAsync("the message to be settled", () => held.Receiver.CompleteAsync(held.Message));
        Assert.Equal(0, (await held.Space.Control.CountsAsync(PrivateNamespace.Queue)).Total);
    }

    [Fact]
    public async Task A_broker_that_is_slow_to_answer_but_alive_keeps_its_connection()
    {
        await using var held = await HeldByProxy.StartAsync();
        await held.Space.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Delay) { Milliseconds = 10_000 });

        Assert.Equal(Renewal.Renewed, await held.Receiver.RenewAsync(held.Message));

        Assert.Equal(1, held.Proxy.Accepted);
    }

    [Theory]
    [InlineData("put-token")]
    [InlineData("attach")]
    public async Task A_lost_answer_without_which_nothing_is_renewed_is_not_waited_for_as_long_as_a_lock_lasts(string operation)
    {
        const string Other = "other";
        await using var space = await PrivateNamespace.StartAsync();
        await space.Control.PutQueueAsync(Other);
        var time = new VirtualTime();
        time.Advance(DateTimeOffset.UtcNow - time.GetUtcNow());
        await using var broker = space.NewBroker(time: time);
        await broker.Node(Other).PeekAsync(0, 1, default);
        await space.Control.ClearStatsAsync();
        await space.Control.FaultAsync(new Fault(operation, FaultEffect.Silent) { Times = 1 });
        var opening = broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask();
        await Eventually.HoldsAsync("it to be asked for", async () => (await space.Control.StatsAsync()).Of(operation) == 1);

        // In steps, with a sign of life after each, for the connection is not to be taken for dead.
        for (var passed = 0; passed < 12 && !opening.IsCompleted; passed++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            await broker.Node(Other).PeekAsync(0, 1, default);
        }

        Assert.Contains($"({operation}) for 10 s", (await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(TimeSpan.FromSeconds(30)))).Message, StringComparison.Ordinal);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
    }

    /// <summary>A message that is held, over a path that can be cut.</summary>
    private sealed record HeldByProxy(PrivateNamespace Space, TcpProxy Proxy, ServiceBusBroker Broker, IReceiver Receiver, Delivery Message) : IAsyncDisposable
    {
        public static async Task<HeldByProxy> StartAsync()
        {
            var space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(60) });
            var proxy = new TcpProxy("127.0.0.1", space.Server.Port);
            var broker = space.NewBroker(port: proxy.Port);
            var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
            await broker.SendAsync(PrivateNamespace.Queue, "a");
            return new(space, proxy, broker, receiver, await receiver.TakeAsync());
        }

        public async ValueTask DisposeAsync()
        {
            await Receiver.DisposeAsync();
            await Broker.DisposeAsync();
            await Proxy.DisposeAsync();
            await Space.DisposeAsync();
        }
    }
}
