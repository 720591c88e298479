using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>Messages that the server gave up once and somebody moved back, and that are to wait now: they pass on through the server's own hands again.</summary>
public sealed class DiedBeforeTests : IClassFixture<VirtualHost>
{
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(10);

    private readonly VirtualHost _vhost;

    public DiedBeforeTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task A_message_that_expired_and_was_moved_back_comes_again_after_a_delay(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using var receiver = await MovedBackAsync(broker, queue);

        var first = await receiver.TakeAsync();
        Assert.True(await receiver.SettleAsync(first, Settlement.Delay(s_wait), default));
        var second = await receiver.TakeAsync();
        Assert.True(await receiver.SettleAsync(second, Settlement.Delay(s_wait), default));
        var third = await receiver.TakeAsync();

        Assert.Equal(("expired", queue), DeathOf(first));
        Assert.Equal(("expired", queue + (type == QueueType.Quorum ? ".wait.10" : ".wait.10.sure")), DeathOf(second));
        Assert.Equal([("a", 1), ("a", 2), ("a", 3)], new[] { first, second, third }.Select(delivery => (delivery.Message.Id, delivery.DeliveryCount)));
        await receiver.CompleteAsync(third);
        await _vhost.NothingIsLeftAsync(queue, receiver);
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task What_is_sent_later_with_all_that_such_a_message_says_comes(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using var receiver = await MovedBackAsync(broker, queue);
        var first = await receiver.TakeAsync();
        await using var sender = await broker.OpenSenderAsync(queue, default);

        await sender.SendAsync(new Message { Id = "later", Properties = first.Message.Properties }, s_wait, default);

        var later = await receiver.TakeAsync();
        Assert.Equal("later", later.Message.Id);
        await receiver.CompleteAsync(first);
        await receiver.CompleteAsync(later);
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task Notes_of_death_that_no_server_writes_hold_up_nothing_that_waits(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.BasicPublishAsync("", queue, mandatory: true, new BasicProperties { MessageId = "a", Headers = new Dictionary<string, object?> { ["x-death"] = new List<object?> { "once", "twice" } } }, default);

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(s_wait), default));

        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    private static (object? Reason, object? Queue) DeathOf(Delivery delivery)
    {
        var death = Assert.IsType<Dictionary<string, object?>>(Assert.Single(Assert.IsType<List<object?>>(delivery.Message.Properties["x-death"])));
        return (death["reason"], death["queue"]);
    }

    // As a shovel does it, and the management UI by one: all of its properties go with it.
    private async Task<IReceiver> MovedBackAsync(RabbitMqBroker broker, string queue)
    {
        await using (await broker.OpenSenderAsync(queue, default))
        {
            // Opened, it is declared.
        }

        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.BasicPublishAsync("", queue, mandatory: true, new BasicProperties { MessageId = "a", Persistent = true, Expiration = "1" }, default);
        BasicGetResult? letter = null;
        await Eventually.HoldsAsync("the message to expire", async () => (letter = await channel.BasicGetAsync(queue + ".dead", autoAck: true)) is not null);
        await channel.BasicPublishAsync("", queue, mandatory: true, new BasicProperties(letter!.BasicProperties), letter.Body);
        return await broker.OpenReceiverAsync(queue, default);
    }
}
