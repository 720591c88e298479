using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration.Commands;

namespace Holdfast.Tests.Integration;

/// <summary>
/// What comes to a queue that has no room by way of others: a replay, or a wait that ends. The server offers anew, after three minutes by default, whatever its target has not confirmed by then: here sooner,
/// and for these tests alone. Where a machine is busier than that, it offers what the target has all the same, and a classic queue takes it twice.
/// </summary>
[Collection(nameof(Alone))]
public sealed class FullTests : IClassFixture<VirtualHost>, IAsyncLifetime
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(1);

    private readonly VirtualHost _vhost;

    public FullTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    public async ValueTask InitializeAsync() => await SetAsync(s_patience);

    public async ValueTask DisposeAsync() => await SetAsync(TimeSpan.FromMinutes(3));

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task A_queue_that_is_full_gets_the_rest_of_a_replay_once_there_is_room(QueueType type)
    {
        // Far more than are on their way at once: the server counts them only after it has let them in.
        const int Messages = 500;

        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(Messages);
        await _vhost.LimitAsync(pile.Queue, 10);

        var (code, _, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

        Assert.Empty(error);
        Assert.Equal(0, code);
        await Eventually.HoldsAsync("it to be full", async () => await pile.CountAsync(pile.Queue) >= 10);
        Assert.NotEqual((uint)Messages, await pile.CountAsync(pile.Queue));
        await _vhost.LimitAsync(pile.Queue, 2 * Messages);
        if (type == QueueType.Quorum)
            await pile.HasAsync(pile.Queue, Messages);
        var taken = await pile.TakeEachAsync(pile.Queue, Messages);
        Assert.Equal(Enumerable.Range(0, Messages), taken.Distinct().Order());
        if (type == QueueType.Quorum)
            Assert.Equal(Messages, taken.Count);
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task What_has_waited_for_a_queue_that_is_full_comes_once_there_is_room(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await broker.SendAsync(queue, "b");
        await _vhost.LimitAsync(queue, 1);
        await SendLaterAsync(broker, queue, "a");

        await HasEndedAsync(broker);

        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        foreach (var id in (string[])["b", "a"])
        {
            var delivery = await receiver.TakeAsync();
            Assert.Equal(id, delivery.Message.Id);
            await receiver.CompleteAsync(delivery);
        }
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task What_has_waited_for_a_queue_that_is_gone_comes_once_that_is_declared_again(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using (var sender = await broker.OpenSenderAsync(queue, default))
        {
            // Before anything waits for it: it could come while the queue is being deleted.
            Assert.True(await _vhost.Server.Management.DeleteQueueAsync(_vhost.Name, queue));
            await sender.SendAsync(new Message { Id = "a" }, s_wait, default);
        }

        await HasEndedAsync(broker);

        await Eventually.SucceedsAsync("the queue to be there again", () => broker.SendAsync(queue));
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    private static async Task SendLaterAsync(RabbitMqBroker broker, string queue, string id)
    {
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await sender.SendAsync(new Message { Id = id }, s_wait, default);
    }

    // What was sent later than that, to wait as long for another queue, is there.
    private async Task HasEndedAsync(RabbitMqBroker broker)
    {
        var another = _vhost.NewQueue();
        await SendLaterAsync(broker, another, "marker");
        await using var receiver = await broker.OpenReceiverAsync(another, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    // A queue asks for it when it begins to pass on what it gives up.
    private async Task SetAsync(TimeSpan patience) =>
        await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, {patience.TotalMilliseconds}).");
}
