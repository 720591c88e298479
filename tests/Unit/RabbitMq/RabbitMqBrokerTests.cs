using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class RabbitMqBrokerTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly CancellationToken s_none = CancellationToken.None;

    private readonly VirtualTime _time = new();
    private readonly Dictionary<string, FakeConnection> _connections = [];
    private readonly TaskCompletionSource _answering = new();
    private readonly RabbitMqBroker _broker;

    public RabbitMqBrokerTests() => _broker = new(new() { Uri = "amqp://host", TimeProvider = _time }, ConnectAsync);

    private FakeChannel Sending => _connections["sending"].Channels[^1];

    public ValueTask DisposeAsync()
    {
        _answering.TrySetResult();
        return _broker.DisposeAsync();
    }

    [Fact]
    public async Task Queues_that_hang_do_not_wait_for_each_other_when_all_are_closed()
    {
        await _broker.OpenReceiverAsync("orders", s_none);
        await _broker.OpenReceiverAsync("letters", s_none);
        var closing = _broker.DisposeAsync().AsTask();

        Assert.Equal("close", await Receiving("orders").AskedAsync());
        Assert.Equal("close", await Receiving("letters").AskedAsync());

        _answering.SetResult();
        await closing.WaitAsync(s_patience);
    }

    [Fact]
    public async Task A_dead_letter_that_is_not_confirmed_is_sent_once_and_its_original_given_back_when_the_lease_ends()
    {
        using var lease = new CancellationTokenSource();
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        var room = new Delivery[1];
        var receiving = receiver.ReceiveAsync(room, s_none).AsTask();
        Assert.Equal(["qos 1", "consume"], [await Receiving("orders").AskedAsync(), await Receiving("orders").AskedAsync()]);
        await Receiving("orders").DeliverAsync(1, "a");
        await receiving.WaitAsync(s_patience);

        var settling = receiver.SettleAsync(room[0], Settlement.DeadLetter("wrong", ""), lease.Token).AsTask();
        Assert.Equal("publish", await Sending.AskedAsync());
        _time.Advance(_broker.Outbox.Patience * 2);
        Assert.False(settling.IsCompleted);
        receiver.LetGo(room[0]);
        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling.WaitAsync(s_patience));
        var asked = Receiving("orders").Asked();
        Assert.Contains("nack 1", asked);
        Assert.DoesNotContain("ack 1", asked);
        Assert.Empty(Sending.Asked());
    }

    private FakeChannel Receiving(string queue) => _connections[$"{queue}, receiving"].Channels[^1];

    private Task<IConnection> ConnectAsync(string purpose)
    {
        var connection = FakeConnection.Open();
        connection.Answer = question => question is "close" or "publish" ? _answering.Task : Task.CompletedTask;
        _connections.Add(purpose, connection);
        return Task.FromResult(connection.Connection);
    }
}
