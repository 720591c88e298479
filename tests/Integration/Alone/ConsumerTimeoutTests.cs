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
        var hung = 0;
        await using var broker = _vhost.NewBroker(consumerTimeout: s_timeout);
        await broker.SendAsync(queue, "endless");
        await using var consuming = await Consuming.StartAsync(broker, queue, async (message, cancel) =>
        {
            var isFirst = message.Id == "endless" && Interlocked.Exchange(ref hung, 1) == 0;
            await Task.Delay(isFirst ? Timeout.InfiniteTimeSpan : message.Id == "long" ? s_timeout * 0.7 : TimeSpan.Zero, cancel);
            return Settlement.Complete;
        });
        await Eventually.HoldsAsync("the first to be in hand", () => Volatile.Read(ref hung) == 1);

        // It is still in hand when the server would have closed the channel of the first.
        await Task.Delay(s_timeout * 0.6);
        await broker.SendAsync(queue, "long");

        await consuming.DoneAsync(2);
        Assert.Equal((1, 2, 0), (consuming.Queue.Misses, consuming.Queue.Completed, consuming.Repeats));
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }

    private async Task SetAsync(TimeSpan timeout) =>
        await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, consumer_timeout, {timeout.TotalMilliseconds}).");
}
