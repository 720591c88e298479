using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration.Commands;

namespace Holdfast.Tests.Integration;

/// <summary>Deliveries that are held longer than the server allows.</summary>
[Collection(nameof(Alone))]
public sealed class ConsumerTimeoutTests : IClassFixture<VirtualHost>, IAsyncLifetime
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(6);

    private readonly VirtualHost _vhost;

    public ConsumerTimeoutTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    public async ValueTask InitializeAsync() => await SetAsync(s_timeout);

    public async ValueTask DisposeAsync() => await SetAsync(TimeSpan.FromMinutes(30));

    [Fact]
    public async Task When_the_server_closes_the_channel_its_leases_are_gone_and_their_messages_come_again()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await broker.SendAsync(queue, "a", "b");
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var (a, b) = (await receiver.TakeAsync(), await receiver.TakeAsync());

        await Eventually.HoldsAsync("the channel to be closed", () => !receiver.IsConnected);

        Assert.Equal((Renewal.Severed, Renewal.Severed), (await receiver.RenewAsync(a), await receiver.RenewAsync(b)));
        Assert.False(await receiver.SettleAsync(a, Settlement.Complete, default));
        var again = new[] { await receiver.TakeAsync(), await receiver.TakeAsync() };
        Assert.Equal(["a", "b"], again.Select(delivery => delivery.Message.Id).Order());
        foreach (var delivery in again)
            await receiver.CompleteAsync(delivery);
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    [Fact]
    public async Task The_engine_gives_one_message_back_in_time_and_the_others_on_its_channel_are_none_the_worse()
    {
        var queue = _vhost.NewQueue();
        var (hung, again) = (0, new TaskCompletionSource());
        await using var broker = _vhost.NewBroker(heartbeat: s_timeout, consumerTimeout: s_timeout);
        await broker.SendAsync(queue, "endless");
        await using var consuming = await Consuming.StartAsync(broker, queue, async (message, cancel) =>
        {
            if (message.Id == "long")
                await again.Task.WaitAsync(cancel);
            else if (Interlocked.Exchange(ref hung, 1) == 0)
                await Task.Delay(Timeout.InfiniteTimeSpan, cancel);
            else
                again.TrySetResult();
            return Settlement.Complete;
        });
        await Eventually.HoldsAsync("the first to be in hand", () => Volatile.Read(ref hung) == 1);

        // It is in hand until the first has come again: if the server closed their channel for that, it would be lost, too.
        await Task.Delay(s_timeout * 0.6);
        await broker.SendAsync(queue, "long");

        await consuming.DoneAsync(2);
        Assert.Equal((1, 2, 0), (consuming.Queue.Misses, consuming.Queue.Completed, consuming.Repeats));
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }

    [Fact]
    public async Task A_sweep_that_its_messages_were_taken_from_says_so_before_it_takes_them_for_others()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(4_010);
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using var sweep = await desk.SweepAsync(pile.Dead, target: null, _ => null, rate: null, most: null, TestContext.Current.CancellationToken);
        await PassOverAsync(2_000);

        // The second window is younger, and lives when the first ends.
        await Task.Delay(s_timeout * 0.6, TestContext.Current.CancellationToken);
        await PassOverAsync(2_000);
        await Eventually.HoldsAsync("the first window to end", async () => await pile.CountAsync(pile.Dead) >= 2_010);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => PassOverAsync(11));
        Assert.Contains($"took back what was held of queue '{pile.Dead}' for longer than it allows", problem.Message, StringComparison.Ordinal);

        async Task PassOverAsync(int count)
        {
            for (var passed = 0; passed < count && await sweep.NextAsync(TestContext.Current.CancellationToken) is not null; passed++)
            {
            }
        }
    }

    [Fact]
    public async Task A_replay_at_a_rate_holds_nothing_for_as_long_as_all_of_it_takes()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(50);

        var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--rate", "5", "--yes");

        Assert.True(code == 0, string.Join('\n', [.. output, .. error]));
        await pile.HasAsync(pile.Queue, 50);
    }

    private async Task SetAsync(TimeSpan timeout) =>
        await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, consumer_timeout, {timeout.TotalMilliseconds}).");
}
