using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Tests.Integration;

/// <summary>A queue's process that hangs within the server, and goes on later.</summary>
public sealed class QueueHangTests : IClassFixture<VirtualHost>
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_timeToStop = TimeSpan.FromSeconds(15);

    private readonly VirtualHost _vhost;

    public QueueHangTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task A_queue_that_hangs_is_told_holds_up_no_stop_and_is_consumed_on_when_it_goes_on()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await broker.SendAsync(queue, "a");
        await receiver.CompleteAsync(await receiver.TakeAsync());
        var other = await broker.OpenReceiverAsync(queue, default);
        var (waiting, alsoWaiting) = (receiver.ReceiveAsync(new Delivery[1], default).AsTask(), other.ReceiveAsync(new Delivery[1], default).AsTask());

        await _vhost.OfQueueAsync(queue, "sys:suspend(amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Contains("does not answer", problem.Message);
        await Assert.ThrowsAsync<BrokerException>(() => alsoWaiting.WaitAsync(s_patience));
        var mending = other.ReceiveAsync(new Delivery[1], default).AsTask();
        await other.DisposeAsync().AsTask().WaitAsync(s_patience);
        await Assert.ThrowsAnyAsync<Exception>(() => mending);
        await _vhost.OfQueueAsync(queue, "sys:resume(amqqueue:get_pid(Q))");

        await broker.SendAsync(queue, "b");
        await receiver.CompleteAsync(await receiver.TakeAsync());
        await _vhost.NothingIsLeftAsync(queue, receiver);
    }

    [Theory]
    [InlineData(QueueType.Classic, true)]
    [InlineData(QueueType.Classic, false)]
    [InlineData(QueueType.Quorum, true)]
    public async Task A_queue_that_hangs_from_the_start_is_told_holds_up_no_stop_and_is_consumed_when_it_goes_on(QueueType type, bool isOurs)
    {
        var queue = _vhost.NewQueue();
        await using (var owner = _vhost.NewBroker(type))
            await owner.SendAsync(queue, "a");
        await _vhost.OfQueueAsync(queue, "sys:suspend(amqqueue:get_pid(Q))");
        await using var broker = NewBroker();
        await using var consuming = await Consuming.StartAsync(broker, queue, (_, _) => new(Settlement.Complete));
        var stopped = NewBroker();
        var stopping = await Consuming.StartAsync(stopped, queue, (_, _) => new(Settlement.Complete));

        await Eventually.HoldsAsync("the trouble to be told", () => consuming.Queue.Problem is not null && stopping.Queue.Problem is not null);
        Assert.Contains($"does not answer when it is asked for queue '{queue}'", consuming.Queue.Problem);
        Assert.Equal((EngineState.Running, false), (consuming.Engine.State, consuming.Queue.IsConnected));
        await stopping.DisposeAsync().AsTask().WaitAsync(s_timeToStop);
        await stopped.DisposeAsync().AsTask().WaitAsync(s_timeToStop);

        await _vhost.OfQueueAsync(queue, "sys:resume(amqqueue:get_pid(Q))");
        await consuming.HandledAsync(1);
        await _vhost.NothingIsLeftAsync(queue, consuming);

        RabbitMqBroker NewBroker() => isOurs ? _vhost.NewBroker(type) : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
    }
}
