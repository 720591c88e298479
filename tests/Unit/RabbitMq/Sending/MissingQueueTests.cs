using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>What is sent to a queue that was there once.</summary>
public sealed class MissingQueueTests : IAsyncDisposable
{
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly RabbitMqDelivery _delivery = new(new Tap(Opened.Idle(), prefetch: 1), Arriving.Message("a"));
    private RabbitMqBroker? _broker;
    private int _returns;

    public MissingQueueTests() => _connection.Answer = question => question == "publish" && _returns-- > 0
        ? Task.FromException(new PublishException(1, isReturn: true))
        : Task.CompletedTask;

    private IEnumerable<string> Asked => _connection.Channels.SelectMany(channel => channel.Asked());

    private BasicProperties DeadLetter => Envelope.ToPutAside(_delivery, Settlement.DeadLetter("BadOrder", ""), default);

    public ValueTask DisposeAsync() => _broker?.DisposeAsync() ?? ValueTask.CompletedTask;

    [Fact]
    public async Task A_dead_letter_queue_that_was_deleted_is_declared_again_where_it_is_ours()
    {
        _returns = 1;

        await SendAsync("orders.dead", DeadLetter, declare: true);

        Assert.Equal(["publish", "publish", "declare orders.dead"], Asked);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_wait_queue_that_was_deleted_is_declared_again(bool declare)
    {
        await SendToWaitAsync(declare);
        Assert.Equal(["declare orders.wait.5000", "publish"], Asked);

        _returns = 1;
        await SendToWaitAsync(declare);

        Assert.Equal(["publish", "publish", "declare orders.wait.5000"], Asked);
    }

    [Theory]
    [InlineData("3.10.8", QueueType.Quorum, "orders.wait.5000", "quorum")]
    [InlineData("3.10.8", QueueType.Classic, "orders.wait.5000.sure", "quorum")]
    [InlineData("3.9.29", QueueType.Classic, "orders.wait.5000", "classic")]
    public async Task What_waits_is_handed_on_at_least_once_wherever_the_server_can(string version, QueueType type, string name, string waitsIn)
    {
        _connection.Version = version;
        _broker = new RabbitMqBroker(new() { Uri = "amqp://host", QueueType = type }, _ => Task.FromResult(_connection.Connection));

        await SendToWaitAsync(declare: false);

        var declared = Assert.Single(_connection.Channels.SelectMany(channel => channel.Declared));
        Assert.Equal((name, waitsIn), (declared.Key, declared.Value["x-queue-type"]));
    }

    [Fact]
    public async Task A_message_of_a_sender_whose_queue_is_missing_is_refused_for_good()
    {
        _returns = 1;

        var problem = await Assert.ThrowsAsync<BrokerException>(() => SendAsync("orders", new BasicProperties(), declare: true));

        Assert.False(problem.IsTransient);
        Assert.Equal(["publish"], Asked);
    }

    private Task SendToWaitAsync(bool declare) =>
        Outbox(declare).SendLaterAsync("orders", TimeSpan.FromSeconds(5), Envelope.ToWait(_delivery, default), default, Timeout.InfiniteTimeSpan, CancellationToken.None).AsTask();

    private Task SendAsync(string queue, BasicProperties envelope, bool declare) =>
        Outbox(declare).SendAsync(queue, envelope, default, Timeout.InfiniteTimeSpan, CancellationToken.None).AsTask();

    private Outbox Outbox(bool declare) =>
        (_broker ??= new RabbitMqBroker(new() { Uri = "amqp://host", Declare = declare }, _ => Task.FromResult(_connection.Connection))).Outbox;
}
