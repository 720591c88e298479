using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class OutboxTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly Message s_message = new() { Id = "a" };

    private readonly VirtualTime _time = new();
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly TaskCompletionSource _confirming = new();
    private readonly TaskCompletionSource _connecting = new();
    private RabbitMqBroker? _broker;

    public OutboxTests() => _connection.Answer = question => question.StartsWith("publish", StringComparison.Ordinal) ? _confirming.Task : Task.CompletedTask;

    private FakeChannel Sending => _connection.Channels[^1];

    public ValueTask DisposeAsync()
    {
        _connecting.TrySetResult();
        return _broker?.DisposeAsync() ?? ValueTask.CompletedTask;
    }

    [Theory]
    [InlineData(10, 60)]
    [InlineData(30, 90)]
    public async Task What_the_server_does_not_confirm_in_a_minute_or_three_heartbeats_is_told_as_not_known(int heartbeat, int patience)
    {
        _connecting.SetResult();
        var sending = (await SenderAsync(heartbeat)).SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();
        Assert.Equal("publish", await Sending.AskedAsync());

        _time.Advance(TimeSpan.FromSeconds(patience) - TimeSpan.FromTicks(1));
        Assert.False(sending.IsCompleted);
        _time.Advance(TimeSpan.FromTicks(1));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.Contains($"RabbitMQ at amqp://guest@host:5672/ has not confirmed a message for queue 'orders' within {patience} s: it may have it or not.", problem.Message, StringComparison.Ordinal);
        Assert.Contains("list_unresponsive_queues", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_confirm_that_comes_late_is_no_harm_to_what_is_sent_next()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var sending = sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();
        _time.Advance(_broker!.Outbox.Patience);
        await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));

        var next = sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();
        _confirming.SetResult();

        await next.WaitAsync(s_patience);
        Assert.Equal(["publish", "publish"], Sending.Asked());
    }

    [Fact]
    public async Task Who_calls_it_off_waits_no_longer_and_what_is_on_its_way_stays_there_alone()
    {
        using var callOff = new CancellationTokenSource();
        _connecting.SetResult();
        var sender = await SenderAsync();
        var sending = sender.SendAsync(s_message, TimeSpan.Zero, callOff.Token).AsTask();
        Assert.Equal("publish", await Sending.AskedAsync());

        await callOff.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.WaitAsync(s_patience));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sender.SendAsync(s_message, TimeSpan.Zero, callOff.Token).AsTask().WaitAsync(s_patience));
        Assert.Empty(Sending.Asked());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_given_up_before_there_was_a_channel_is_never_sent(bool isCalledOff)
    {
        using var callOff = new CancellationTokenSource();
        var sender = await SenderAsync();
        var sending = sender.SendAsync(s_message, TimeSpan.Zero, callOff.Token).AsTask();

        if (isCalledOff)
            await callOff.CancelAsync();
        else
            _time.Advance(_broker!.Outbox.Patience);
        var problem = await Assert.ThrowsAnyAsync<Exception>(() => sending.WaitAsync(s_patience));
        Assert.True(isCalledOff ? problem is OperationCanceledException : problem is BrokerException { IsTransient: true });
        _connecting.SetResult();
        _confirming.SetResult();

        await sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask().WaitAsync(s_patience);
        Assert.Equal(["publish"], Sending.Asked());
    }

    private async Task<ISender> SenderAsync(int heartbeat = 10)
    {
        _broker = new RabbitMqBroker(new() { Uri = "amqp://host", Heartbeat = TimeSpan.FromSeconds(heartbeat), TimeProvider = _time }, ConnectAsync);
        return await _broker.OpenSenderAsync("orders", CancellationToken.None);
    }

    private async Task<IConnection> ConnectAsync(string purpose)
    {
        if (purpose == "sending")
            await _connecting.Task;
        return _connection.Connection;
    }
}
