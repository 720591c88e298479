using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class OutboxTests : IAsyncDisposable
{
    private const int MostOnTheirWay = 200;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly Message s_message = new() { Id = "a" };

    private readonly VirtualTime _time = new();
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly FakeConnection _next = FakeConnection.Open();
    private TaskCompletionSource _confirming = new();
    private readonly TaskCompletionSource _connecting = new();
    private RabbitMqBroker? _broker;

    public OutboxTests() => _connection.Answer = question => question.StartsWith("publish", StringComparison.Ordinal) ? _confirming.Task : Task.CompletedTask;

    private FakeChannel Sending => _connection.Channels[^1];

    public ValueTask DisposeAsync()
    {
        _connecting.TrySetResult();
        return _broker?.DisposeAsync() ?? ValueTask.CompletedTask;
    }

    [Fact]
    public async Task What_would_forget_its_time_to_live_while_it_waits_is_refused()
    {
        var sender = await SenderAsync();

        var problem = await Assert.ThrowsAsync<BrokerException>(async () => await sender.SendAsync(new() { Id = "a", TimeToLive = s_patience }, s_patience, CancellationToken.None));

        Assert.False(problem.IsTransient);
        Assert.Contains("TimeToLive while its delivery is delayed", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_to_come_later_than_the_server_can_keep_it_is_refused()
    {
        var sender = await SenderAsync();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync(s_message, TimeSpan.FromDays(3588), CancellationToken.None).AsTask().WaitAsync(s_patience));

        Assert.Equal((false, "RabbitMQ keeps a message back for 3587 days at most, and this one is to come after 3588.00:00:00; set a shorter delay."), (problem.IsTransient, problem.Message));
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
    public async Task What_is_not_confirmed_by_a_server_that_takes_no_messages_is_told_with_that()
    {
        _connecting.SetResult();
        var sending = (await SenderAsync()).SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();
        Assert.Equal("publish", await Sending.AskedAsync());
        await _connection.BlockAsync("low on disk");

        _time.Advance(_broker!.Outbox.Patience);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));
        Assert.Equal(
            "RabbitMQ at amqp://guest@host:5672/ has not confirmed a message for queue 'orders' within 60 s: it may have it or not. RabbitMQ at host:5672 takes no messages at present (low on disk): free some there, or change its limit (vm_memory_high_watermark, disk_free_limit).",
            problem.Message);
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

    [Fact]
    public async Task A_channel_whose_opening_was_called_off_is_opened_at_the_next_message()
    {
        _connecting.SetResult();
        _confirming.SetResult();
        var sender = await SenderAsync();
        _connection.Opening = () => Task.FromCanceled(new CancellationToken(canceled: true));
        await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask());
        _connection.Opening = () => Task.CompletedTask;

        await sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None);

        Assert.Equal(["publish"], Sending.Asked());
    }

    [Fact]
    public async Task What_a_queue_does_not_confirm_takes_no_room_from_another()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var unconfirmed = Many(MostOnTheirWay + 1, sender);
        var hung = Sending;

        var other = await _broker!.OpenSenderAsync("letters", CancellationToken.None);
        var sending = other.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();

        Assert.NotSame(hung, Sending);
        Assert.Equal("publish", await Sending.AskedAsync());
        Assert.Equal(MostOnTheirWay, hung.Asked().Count);
        Assert.DoesNotContain(unconfirmed.Append(sending), one => one.IsCompleted);
    }

    [Fact]
    public async Task What_finds_no_room_in_time_is_told_and_never_sent()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var unconfirmed = Many(MostOnTheirWay + 1, sender);

        _time.Advance(_broker!.Outbox.Patience);
        foreach (var one in unconfirmed)
            Assert.Contains(one == unconfirmed[^1] ? "was not sent" : "it may have it or not", (await Assert.ThrowsAsync<BrokerException>(() => one.WaitAsync(s_patience))).Message, StringComparison.Ordinal);
        var next = sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask();
        Assert.Equal(MostOnTheirWay, Sending.Asked().Count);

        _confirming.SetResult();
        await next.WaitAsync(s_patience);
        Assert.Equal(["publish"], Sending.Asked());
    }

    [Fact]
    public async Task Who_waits_for_room_has_it_as_soon_as_one_before_him_is_confirmed()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var sendings = Many(3 * MostOnTheirWay, sender);

        _confirming.SetResult();

        await Task.WhenAll(sendings).WaitAsync(s_patience);
        Assert.Equal(3 * MostOnTheirWay, Sending.Asked().Count);
    }

    [Fact]
    public async Task Only_the_message_that_is_too_large_is_refused_for_good()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var (small, large) = (Send(100), Send(900));

        _confirming.SetException(new AlreadyClosedException(
            new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - message size 900 is larger than configured max size 500")));

        var refused = await Assert.ThrowsAsync<BrokerException>(() => large.WaitAsync(s_patience));
        Assert.False(refused.IsTransient);
        Assert.Contains("max_message_size", refused.Message, StringComparison.Ordinal);
        var innocent = await Assert.ThrowsAsync<BrokerException>(() => small.WaitAsync(s_patience));
        Assert.True(innocent.IsTransient);
        Assert.Equal(
            "RabbitMQ at amqp://guest@host:5672/ refused this message for queue 'orders', or another one that was sent with it (PRECONDITION_FAILED - message size 900 is larger than configured max size 500): it may have this one or not.",
            innocent.Message);

        Task Send(int size) => sender.SendAsync(new Message { Id = "a", Body = new byte[size] }, TimeSpan.Zero, CancellationToken.None).AsTask();
    }

    [Fact]
    public async Task What_was_found_too_large_is_not_sent_again_by_that_connection()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var large = SendAsync(900);
        _confirming.SetException(new AlreadyClosedException(
            new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - message size 900 is larger than configured max size 500")));
        var first = await Assert.ThrowsAsync<BrokerException>(() => large.WaitAsync(s_patience));
        Sending.Asked();
        _confirming = new();
        _confirming.SetResult();

        foreach (var size in (int[])[900, 1000])
        {
            var again = await Assert.ThrowsAsync<BrokerException>(() => SendAsync(size).WaitAsync(s_patience));
            Assert.Equal((false, first.Message), (again.IsTransient, again.Message));
        }

        Assert.Empty(Sending.Asked());
        await SendAsync(899).WaitAsync(s_patience);
        Assert.Equal(["publish"], Sending.Asked());
        await _connection.EndAsync();
        await SendAsync(900).WaitAsync(s_patience);
        Assert.Equal(["publish"], _next.Channels[^1].Asked());

        Task SendAsync(int size) => sender.SendAsync(new Message { Id = "a", Body = new byte[size] }, TimeSpan.Zero, CancellationToken.None).AsTask();
    }

    [Fact]
    public async Task What_the_server_refuses_without_saying_whose_it_is_may_be_another_s_and_is_refused_for_good_to_nobody()
    {
        _connecting.SetResult();
        var sendings = Many(2, await SenderAsync());

        _confirming.SetException(new AlreadyClosedException(
            new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, "PRECONDITION_FAILED - invalid message")));

        foreach (var one in sendings)
        {
            var problem = await Assert.ThrowsAsync<BrokerException>(() => one.WaitAsync(s_patience));
            Assert.True(problem.IsTransient);
            Assert.Contains("this message for queue 'orders', or another one that was sent with it (PRECONDITION_FAILED - invalid message): it may have this one or not.", problem.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task What_is_on_its_way_ends_with_its_connection_though_its_channel_never_hears_of_that()
    {
        _connecting.SetResult();
        var sender = await SenderAsync();
        var lost = Many(MostOnTheirWay + 1, sender);

        await _connection.EndAsync();

        foreach (var one in lost)
            Assert.True((await Assert.ThrowsAsync<BrokerException>(() => one.WaitAsync(s_patience))).IsTransient);
        await Task.WhenAll(Many(MostOnTheirWay, sender)).WaitAsync(s_patience);
        Assert.Equal(MostOnTheirWay, _next.Channels[^1].Asked().Count);
        Assert.Equal((0, 1), (_connection.Listeners, _next.Listeners));
    }

    [Fact]
    public async Task Very_many_queues_share_what_channels_a_connection_has_room_for()
    {
        _connecting.SetResult();
        _confirming.SetResult();
        await SenderAsync();
        var before = _connection.Channels.Count;
        for (var n = 0; n < 200; n++)
            await _broker!.Outbox.SendAsync($"reply-{n}", new BasicProperties(), default, s_patience, CancellationToken.None);

        Assert.Equal(64, _connection.Channels.Count - before);
    }

    private static Task[] Many(int count, ISender sender) =>
        [.. Enumerable.Range(0, count).Select(_ => sender.SendAsync(s_message, TimeSpan.Zero, CancellationToken.None).AsTask())];

    private async Task<ISender> SenderAsync(int heartbeat = 10)
    {
        _broker = new RabbitMqBroker(new() { Uri = "amqp://host", Heartbeat = TimeSpan.FromSeconds(heartbeat), TimeProvider = _time }, ConnectAsync);
        return await _broker.OpenSenderAsync("orders", CancellationToken.None);
    }

    private async Task<IConnection> ConnectAsync(string purpose)
    {
        if (purpose == "sending")
            await _connecting.Task;
        return (_connection.IsOpen ? _connection : _next).Connection;
    }
}
