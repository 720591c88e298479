using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Holdfast.Tests.Integration.Commands;

namespace Holdfast.Tests.Integration;

/// <summary>A queue's process that is killed within the server, which starts it again, or that is stopped, or hangs.</summary>
public sealed class QueueCrashTests : IClassFixture<VirtualHost>
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_timeToStop = TimeSpan.FromSeconds(15);

    private readonly VirtualHost _vhost;

    public QueueCrashTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Whoever_consumes_it_is_told_and_what_was_held_comes_again(bool isOurs)
    {
        var queue = _vhost.NewQueue();
        await using var owner = _vhost.NewBroker(QueueType.Classic);
        await owner.SendAsync(queue, "a");
        await using var broker = isOurs ? _vhost.NewBroker(QueueType.Classic) : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var held = await receiver.TakeAsync();
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await CrashAsync(queue);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting);

        Assert.True(problem.IsTransient);
        Assert.Contains($"ended the consumer of {queue}", problem.Message);
        Assert.Equal(Renewal.Severed, await receiver.RenewAsync(held));
        Assert.False(await receiver.SettleAsync(held, Settlement.Complete, default));
        var again = await receiver.TakeAsync();
        Assert.Equal("a", again.Message.Id);
        await receiver.CompleteAsync(again);
        await _vhost.NothingIsLeftAsync(queue, receiver);
    }

    [Fact]
    public async Task All_that_it_holds_is_handled_though_some_of_it_was_in_hand()
    {
        var (queue, sent, begun, ended) = (_vhost.NewQueue(), Port.Names(40), 0, new TaskCompletionSource());
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await broker.SendAsync(queue, sent);
        await using var consuming = await Consuming.StartAsync(broker, queue, async (_, cancel) =>
        {
            if (Interlocked.Increment(ref begun) > 4)
                await ended.Task.WaitAsync(cancel);
            return Settlement.Complete;
        }, options => options.MaxConcurrency = 4);
        await consuming.HandledAsync(4);

        // It comes back with messages that it had not noted as acknowledged.
        await CrashAsync(queue);
        ended.SetResult();

        await consuming.DoneAsync(sent.Length);
        Assert.Equal(sent, consuming.Handled.Order());
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }

    [Fact]
    public async Task A_queue_that_is_down_is_told_and_consumed_on_when_it_is_back()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await OfAsync(queue, "ra:stop_server(quorum_queues, amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.Contains("nobody consumes", problem.Message);
        await OfAsync(queue, "ra:restart_server(quorum_queues, amqqueue:get_pid(Q))");

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

        await OfAsync(down, "ra:stop_server(quorum_queues, amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Contains("nobody consumes", problem.Message);
        await Assert.ThrowsAsync<BrokerException>(() => other.ReceiveAsync(new Delivery[1], default).AsTask().WaitAsync(s_patience));

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        await receiver.CompleteAsync(held);
        await _vhost.NothingIsLeftAsync(up, receiver);

        // A virtual host that is deleted while one of its quorum queues starts ends what all such queues of RabbitMQ 3.10 need.
        await OfAsync(down, "ra:restart_server(quorum_queues, amqqueue:get_pid(Q))");
        await Eventually.SucceedsAsync("the queue to take messages again", () => quorum.SendAsync(down, "b"));
        await other.CompleteAsync(await other.TakeAsync());
        await _vhost.NothingIsLeftAsync(down, other);
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

        await OfAsync(queue, "sys:suspend(amqqueue:get_pid(Q))");
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Contains("does not answer", problem.Message);
        await Assert.ThrowsAsync<BrokerException>(() => alsoWaiting.WaitAsync(s_patience));
        var mending = other.ReceiveAsync(new Delivery[1], default).AsTask();
        await other.DisposeAsync().AsTask().WaitAsync(s_patience);
        await Assert.ThrowsAnyAsync<Exception>(() => mending);
        await OfAsync(queue, "sys:resume(amqqueue:get_pid(Q))");

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
        await OfAsync(queue, "sys:suspend(amqqueue:get_pid(Q))");
        await using var broker = NewBroker();
        await using var consuming = await Consuming.StartAsync(broker, queue, (_, _) => new(Settlement.Complete));
        var stopped = NewBroker();
        var stopping = await Consuming.StartAsync(stopped, queue, (_, _) => new(Settlement.Complete));

        await Eventually.HoldsAsync("the trouble to be told", () => consuming.Queue.Problem is not null && stopping.Queue.Problem is not null);
        Assert.Contains($"does not answer when it is asked for queue '{queue}'", consuming.Queue.Problem);
        Assert.Equal((EngineState.Running, false), (consuming.Engine.State, consuming.Queue.IsConnected));
        await stopping.DisposeAsync().AsTask().WaitAsync(s_timeToStop);
        await stopped.DisposeAsync().AsTask().WaitAsync(s_timeToStop);

        await OfAsync(queue, "sys:resume(amqqueue:get_pid(Q))");
        await consuming.HandledAsync(1);
        await _vhost.NothingIsLeftAsync(queue, consuming);

        RabbitMqBroker NewBroker() => isOurs ? _vhost.NewBroker(type) : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
    }

    [Fact]
    public async Task A_sweep_ends_and_moves_nothing_twice()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(50);
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using (var sweep = await desk.SweepAsync(pile.Dead, pile.Queue, _ => null, rate: null, default))
        {
            await sweep.TakeAsync((await sweep.NextAsync(default))!, default);

            await CrashAsync(pile.Dead);
            await Eventually.HoldsAsync("the sweep to hear of it", async () => await Record.ExceptionAsync(async () => await sweep.NextAsync(default)) is BrokerException);

            var problem = await Assert.ThrowsAsync<BrokerException>(async () => await sweep.CommitAsync(default));
            Assert.Contains($"ended the consumer of {pile.Dead}", problem.Message);
        }

        Assert.Empty(await pile.TakeAllAsync(pile.Queue));
        Assert.Equal(50, (await pile.TakeAllAsync(pile.Dead)).Count);
    }

    private Task CrashAsync(string queue) => OfAsync(queue, "exit(amqqueue:get_pid(Q), kill)");

    private async Task OfAsync(string queue, string doing) =>
        await _vhost.Server.Node.ControlAsync("eval", $"{{ok, Q}} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"{_vhost.Name}\">>, queue, <<\"{queue}\">>)), {doing}.");
}
