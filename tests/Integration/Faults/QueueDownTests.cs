using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>A queue's process that is stopped within the server, and started again later.</summary>
public sealed class QueueDownTests : IClassFixture<VirtualHost>
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly VirtualHost _vhost;

    public QueueDownTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task A_queue_that_is_down_is_told_and_consumed_on_when_it_is_back()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await _vhost.OfQueueAsync(queue, "ra:stop_server(quorum_queues, amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.Contains("nobody consumes", problem.Message);
        await _vhost.OfQueueAsync(queue, "ra:restart_server(quorum_queues, amqqueue:get_pid(Q))");

        await Eventually.SucceedsAsync("the queue to take messages again", () => broker.SendAsync(queue, "a"));
        await receiver.CompleteAsync(await receiver.TakeAsync());
        await _vhost.NothingIsLeftAsync(queue, receiver);
    }

    [Fact]
    public async Task A_queue_that_is_down_costs_no_lease_of_another()
    {
        var (up, down) = (_vhost.NewQueue(), _vhost.NewQueue());
        await using var classic = _vhost.NewBroker(QueueType.Classic);
        await classic.SendAsync(up, "a");
        await using var quorum = _vhost.NewBroker();
        await using var sender = await quorum.OpenSenderAsync(down, default);
        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using var other = await broker.OpenReceiverAsync(down, default);
        var waiting = other.ReceiveAsync(new Delivery[1], default).AsTask();
        await using var receiver = await broker.OpenReceiverAsync(up, default);
        var held = await receiver.TakeAsync();

        await _vhost.OfQueueAsync(down, "ra:stop_server(quorum_queues, amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Contains("nobody consumes", problem.Message);
        await Assert.ThrowsAsync<BrokerException>(() => other.ReceiveAsync(new Delivery[1], default).AsTask().WaitAsync(s_patience));

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        await receiver.CompleteAsync(held);
        await _vhost.NothingIsLeftAsync(up, receiver);

        // A virtual host that is deleted while one of its quorum queues starts ends what all such queues of RabbitMQ 3.10 need.
        await _vhost.OfQueueAsync(down, "ra:restart_server(quorum_queues, amqqueue:get_pid(Q))");
        await Eventually.SucceedsAsync("the queue to take messages again", () => quorum.SendAsync(down, "b"));
        await other.CompleteAsync(await other.TakeAsync());
        await _vhost.NothingIsLeftAsync(down, other);
    }
}
