using System.Collections.Concurrent;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>Messages that are to be handled in order, and a worker that has no room for what the server sends with each acknowledgement.</summary>
public sealed class OrderTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public OrderTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task What_has_come_before_its_time_waits_for_it_and_is_not_passed(QueueType type)
    {
        var (queue, sent, seen) = (_vhost.NewQueue(), Port.Names(4), new ConcurrentQueue<(string Id, int Delivery)>());
        await using var broker = _vhost.NewBroker(type);
        foreach (var id in sent)
            await broker.SendAsync(queue, new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = "a" } });

        // The next may begin later than what came with the last acknowledgement would be given back, if its order did not count.
        await using var consuming = await Consuming.StartAsync(
            broker,
            queue,
            (message, _) =>
            {
                seen.Enqueue((message.Id, message.DeliveryCount));
                return new(Settlement.Complete);
            },
            options => (options.OrderBy, options.RateLimit.PerSecond, options.RateLimit.Burst) = ("customer", 1 / 6.5, 1));
        await consuming.DoneAsync(sent.Length);

        Assert.Equal(sent.Select(id => (id, 1)), seen);
        Assert.Equal(0, consuming.Queue.Misses);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
