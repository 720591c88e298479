using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class RabbitMqBrokerTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly CancellationToken s_none = CancellationToken.None;

    private readonly VirtualTime _time = new();
    private readonly Dictionary<string, FakeConnection> _connections = [];
    private readonly TaskCompletionSource _answering = new();
    private readonly TaskCompletionSource _connecting = new();
    private readonly RabbitMqBroker _broker;
    private string _hanging = "publish";
    private string _version = "4.0.0";
    private uint _frameMax;

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
    public async Task Who_leaves_a_server_that_may_not_have_heard_what_was_settled_is_told_of_it()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        var delivery = await TakeFirstAsync(receiver);
        Assert.True(await receiver.SettleAsync(delivery, Settlement.Complete, s_none));
        await Receiving("orders").ShutDownAsync();

        Assert.Null(receiver.Unheard);

        _answering.SetResult();
        await receiver.DisposeAsync();

        Assert.Equal("RabbitMQ at amqp://guest@host:5672/ has not shown that it has heard of the last settlements, 1 in all: those messages may come again, and are handled again then.", receiver.Unheard);
    }

    [Fact]
    public async Task A_queue_that_is_slow_to_answer_is_asked_once_however_often_it_is_opened_and_found_in_the_end()
    {
        _hanging = "look";
        for (var i = 0; i < 3; i++)
        {
            var opening = _broker.OpenReceiverAsync("orders", s_none).AsTask();
            _time.Advance(Questions.Patience);
            await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));
        }

        var last = _broker.OpenReceiverAsync("orders", s_none).AsTask();
        Assert.Single(_connections["asking"].Channels);
        _answering.SetResult();

        await last.WaitAsync(s_patience);
    }

    [Fact]
    public async Task A_receiver_that_is_still_opening_is_closed_with_its_broker()
    {
        _hanging = "orders, receiving";
        _answering.SetResult();
        var opening = _broker.OpenReceiverAsync("orders", s_none).AsTask();

        var closing = _broker.DisposeAsync().AsTask();
        _connecting.SetResult();

        await Assert.ThrowsAnyAsync<Exception>(() => opening.WaitAsync(s_patience));
        await closing.WaitAsync(s_patience);
        await _connections["orders, receiving"].Disposed.WaitAsync(s_patience);
    }

    [Fact]
    public async Task What_was_held_on_a_channel_tells_what_ended_that()
    {
        _answering.SetResult();
        var held = await TakeFirstAsync(await _broker.OpenReceiverAsync("orders", s_none));
        Assert.Null(held.WhySevered);

        await Receiving("orders").ShutDownAsync();

        Assert.Contains("CONNECTION_FORCED", held.WhySevered, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_channel_that_takes_the_place_of_another_counts_as_connected_once_the_server_lets_it_consume()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await TakeFirstAsync(receiver);
        Assert.True(receiver.IsConnected);
        var (ended, asked) = (Receiving("orders"), new TaskCompletionSource());
        ended.Answer = _ => Task.CompletedTask;
        _connections["orders, receiving"].Answer = question =>
        {
            if (question != "consume")
                return Task.CompletedTask;
            asked.SetResult();
            return _answering.Task;
        };
        await ended.ShutDownAsync();

        var room = new Delivery[1];
        var receiving = receiver.ReceiveAsync(room, s_none).AsTask();
        await asked.Task.WaitAsync(s_patience);
        Assert.False(receiver.IsConnected);

        _answering.SetResult();
        await Receiving("orders").DeliverAsync(1, "b");
        await receiving.WaitAsync(s_patience);
        await receiver.RenewAsync(room, new Renewal[1], s_none);
        Assert.True(receiver.IsConnected);
    }

    [Theory]
    [InlineData(ShutdownInitiator.Peer, Constants.InternalError)]
    [InlineData(ShutdownInitiator.Library, Constants.SyntaxError)]
    public async Task Connections_that_a_message_may_have_ended_soon_after_they_were_opened_are_opened_anew_after_longer_and_longer_rests(ShutdownInitiator initiator, ushort code)
    {
        _answering.SetResult();
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await TakeFirstAsync(receiver);

        foreach (var seconds in new[] { 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30 })
        {
            var ended = Receiving("orders");
            await ended.ShutDownAsync(new ShutdownEventArgs(initiator, code, "ERROR"));
            var taking = TakeNextAsync(receiver, ended);
            Assert.Equal(TimeSpan.FromSeconds(seconds), _time.UntilNextTimer);
            Assert.Same(ended, Receiving("orders"));

            _time.Advance(TimeSpan.FromSeconds(seconds));
            await taking;
        }
    }

    [Fact]
    public async Task A_connection_that_has_lasted_or_that_no_message_has_ended_is_opened_anew_at_once()
    {
        _answering.SetResult();
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await TakeFirstAsync(receiver);
        await Receiving("orders").ShutDownAsync();
        await TakeFirstAsync(receiver);

        _time.Advance(TimeSpan.FromSeconds(10));
        await Receiving("orders").ShutDownAsync(new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.InternalError, "ERROR"));

        await TakeFirstAsync(receiver);
    }

    [Fact]
    public async Task Who_receives_dead_letters_may_put_them_aside_too()
    {
        await using var broker = new RabbitMqBroker(new() { Uri = "amqp://host", Declare = true, TimeProvider = _time }, ConnectAsync);
        _answering.SetResult();

        await broker.OpenReceiverAsync("orders.dead", s_none);

        Assert.Equal(["orders.dead", "orders.dead.dead"], _connections["asking"].Channels.SelectMany(channel => channel.Declared.Keys));
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

        // Until then the original is ours, and its lease can be renewed.
        var outcomes = new Renewal[1];
        await receiver.RenewAsync(room, outcomes, s_none);
        Assert.Equal(Renewal.Renewed, outcomes[0]);
        receiver.LetGo(room[0]);
        await lease.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling.WaitAsync(s_patience));
        var asked = Receiving("orders").Asked();
        Assert.Contains("nack 1", asked);
        Assert.DoesNotContain("ack 1", asked);
        Assert.Empty(Sending.Asked());
    }

    [Theory]
    [InlineData(SettlementKind.DeadLetter)]
    [InlineData(SettlementKind.Delay)]
    public async Task A_copy_that_was_given_up_is_waited_for_when_its_original_comes_again_and_no_second_one_is_sent(SettlementKind end)
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await GiveUpAsync(receiver, Of(end));
        var again = await TakeAsync(receiver, tag: 2, isRedelivered: true);
        Assert.False(again.WasSettled);

        var settling = receiver.SettleAsync(again, Of(end), s_none).AsTask();
        Assert.Empty(Sending.Asked());
        Assert.False(settling.IsCompleted);
        _answering.SetResult();

        Assert.True(await settling.WaitAsync(s_patience));
        Assert.Equal("ack up to 2", await Receiving("orders").AskedAsync());
    }

    [Fact]
    public async Task The_original_of_a_copy_that_was_given_up_is_settled_once_the_copy_is_there()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await GiveUpAsync(receiver, Of(SettlementKind.DeadLetter));
        var early = await TakeAsync(receiver, tag: 2, isRedelivered: true);
        _answering.SetResult();
        Assert.True(await receiver.SettleAsync(early, Of(SettlementKind.DeadLetter), s_none).AsTask().WaitAsync(s_patience));
        Assert.Equal("ack up to 2", await Receiving("orders").AskedAsync());

        Assert.True((await TakeAsync(receiver, tag: 3, isRedelivered: true)).WasSettled);
        Assert.False((await TakeAsync(receiver, tag: 4, isRedelivered: false)).WasSettled);
        Assert.Empty(Sending.Asked());
    }

    [Theory]
    [InlineData(SettlementKind.DeadLetter, false)]
    [InlineData(SettlementKind.Delay, true)]
    public async Task Another_message_of_that_name_and_another_end_have_a_copy_of_their_own(SettlementKind end, bool isRedelivered)
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await GiveUpAsync(receiver, Of(SettlementKind.DeadLetter));
        var other = await TakeAsync(receiver, tag: 2, isRedelivered);

        var settling = receiver.SettleAsync(other, Of(end), s_none).AsTask();

        Assert.Equal("publish", await Sending.AskedAsync());
        _answering.SetResult();
        Assert.True(await settling.WaitAsync(s_patience));
    }

    [Fact]
    public async Task A_copy_that_was_given_up_and_then_failed_is_sent_anew()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await GiveUpAsync(receiver, Of(SettlementKind.DeadLetter));
        _answering.SetException(new IOException("gone"));
        Sending.Answer = _ => Task.CompletedTask;
        var again = await TakeAsync(receiver, tag: 2, isRedelivered: true);

        Assert.True(await receiver.SettleAsync(again, Of(SettlementKind.DeadLetter), s_none).AsTask().WaitAsync(s_patience));

        Assert.Equal((false, "publish"), (again.WasSettled, await Sending.AskedAsync()));
    }

    [Theory]
    [InlineData(SettlementKind.DeadLetter, "has no queue 'orders.dead'")]
    [InlineData(SettlementKind.Delay, "has no queue 'orders.wait.5000'")]
    public async Task What_refuses_a_message_that_is_sent_on_may_take_it_while_its_lease_lasts(SettlementKind end, string refusal)
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        var taken = await TakeFirstAsync(receiver);
        _answering.SetException(new PublishException(1, isReturn: true));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(taken, Of(end), s_none).AsTask().WaitAsync(s_patience));

        Assert.True(problem.IsTransient);
        Assert.Contains(refusal, problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_copy_that_fails_while_it_is_waited_for_is_sent_anew()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        await GiveUpAsync(receiver, Of(SettlementKind.DeadLetter));
        Sending.Answer = _ => Task.CompletedTask;
        var again = await TakeAsync(receiver, tag: 2, isRedelivered: true);

        var settling = receiver.SettleAsync(again, Of(SettlementKind.DeadLetter), s_none).AsTask();
        _answering.SetException(new IOException("gone"));

        Assert.True(await settling.WaitAsync(s_patience));
        Assert.Equal("publish", await Sending.AskedAsync());
    }

    [Fact]
    public async Task A_copy_that_had_not_left_when_its_lease_ended_never_does()
    {
        const int MostOnTheirWay = 200;
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        var sender = await _broker.OpenSenderAsync("orders.dead", s_none);
        Task[] before = [.. Enumerable.Range(0, MostOnTheirWay).Select(n => sender.SendAsync(new Message { Id = $"{n}" }, TimeSpan.Zero, s_none).AsTask())];
        var taken = await TakeFirstAsync(receiver);
        using (var lease = new CancellationTokenSource())
        {
            var settling = receiver.SettleAsync(taken, Of(SettlementKind.DeadLetter), lease.Token).AsTask();
            receiver.LetGo(taken);
            await lease.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling.WaitAsync(s_patience));
        }

        _answering.SetResult();
        await Task.WhenAll(before).WaitAsync(s_patience);
        var again = await TakeAsync(receiver, tag: 2, isRedelivered: true);

        Assert.Equal((MostOnTheirWay, false), (Sending.Asked().Count, again.WasSettled));
        Assert.True(await receiver.SettleAsync(again, Of(SettlementKind.DeadLetter), s_none).AsTask().WaitAsync(s_patience));
        Assert.Equal(["publish"], Sending.Asked());
    }

    [Fact]
    public async Task Where_the_server_keeps_retries_back_what_is_to_wait_for_another_time_goes_to_a_queue_of_ours()
    {
        _answering.SetResult();
        _version = "4.3.0";
        await using var broker = new RabbitMqBroker(new() { Uri = "amqp://host", DelayedRetry = DelayedRetry.Native, TimeProvider = _time }, ConnectAsync);
        var receiver = await broker.OpenReceiverAsync("orders", s_none);

        Assert.True(await receiver.SettleAsync(await TakeFirstAsync(receiver), Settlement.Retry(TimeSpan.FromSeconds(5)), s_none).AsTask().WaitAsync(s_patience));
        Assert.Equal("reject 1", await Receiving("orders").AskedAsync());
        Assert.False(_connections.ContainsKey("sending"));

        Assert.True(await receiver.SettleAsync(await TakeAsync(receiver, tag: 2, isRedelivered: true), Settlement.Delay(TimeSpan.FromMinutes(30)), s_none).AsTask().WaitAsync(s_patience));
        Assert.Equal("publish", await Sending.AskedAsync());
        Assert.Equal("ack up to 2", await Receiving("orders").AskedAsync());
        Assert.Contains(_connections["asking"].Channels, channel => channel.Declared.ContainsKey("orders.wait.1800000"));
    }

    [Fact]
    public async Task What_can_not_wait_as_it_is_is_put_aside_at_once_and_not_tried_again()
    {
        _answering.SetResult();
        _frameMax = 4096;
        var receiver = await _broker.OpenReceiverAsync("orders", s_none);
        var large = new BasicProperties { MessageId = "a", Headers = new Dictionary<string, object?> { ["large"] = new string('x', 4000) } };
        var failed = Settlement.Retry(TimeSpan.FromSeconds(5)).With(new Dictionary<string, object?> { [DeadLetterProperties.Failures] = "[]" });

        Assert.True(await receiver.SettleAsync(await TakeFirstAsync(receiver, large), failed, s_none).AsTask().WaitAsync(s_patience));

        var (queue, letter) = Assert.Single(_connections["sending"].Channels.SelectMany(channel => channel.Published));
        Assert.Equal(("orders.dead", "not_fit_to_wait", "large"), (queue, letter.Headers![DeadLetterProperties.Reason], letter.Headers[HeaderNames.LeftOut]));
        Assert.Matches("^ack (up to )?1$", await Receiving("orders").AskedAsync());
    }

    private static Settlement Of(SettlementKind end) => end == SettlementKind.Delay ? Settlement.Delay(TimeSpan.FromSeconds(5)) : Settlement.DeadLetter("wrong", "");

    private async Task<Delivery> TakeAsync(IReceiver receiver, ulong tag, bool isRedelivered)
    {
        var room = new Delivery[1];
        var receiving = receiver.ReceiveAsync(room, s_none).AsTask();
        await Receiving("orders").DeliverAsync(tag, "a", isRedelivered);
        await receiving.WaitAsync(s_patience);
        return room[0];
    }

    private async Task<Delivery> TakeFirstAsync(IReceiver receiver, BasicProperties? envelope = null)
    {
        var room = new Delivery[1];
        var receiving = receiver.ReceiveAsync(room, s_none).AsTask();
        Assert.Equal(["qos 1", "consume"], [await Receiving("orders").AskedAsync(), await Receiving("orders").AskedAsync()]);
        await Receiving("orders").DeliverAsync(1, envelope ?? new BasicProperties { MessageId = "a" }, isRedelivered: false);
        await receiving.WaitAsync(s_patience);
        return room[0];
    }

    // By the channel that takes the place of another.
    private async Task TakeNextAsync(IReceiver receiver, FakeChannel ended)
    {
        var opened = new TaskCompletionSource();
        _connections["orders, receiving"].Answer = _ =>
        {
            opened.TrySetResult();
            return Task.CompletedTask;
        };
        var receiving = receiver.ReceiveAsync(new Delivery[1], s_none).AsTask();
        await opened.Task.WaitAsync(s_patience);
        Assert.NotSame(ended, Receiving("orders"));
        Assert.Equal(["qos 1", "consume"], [await Receiving("orders").AskedAsync(), await Receiving("orders").AskedAsync()]);
        await Receiving("orders").DeliverAsync(1, "a");
        await receiving.WaitAsync(s_patience);
    }

    // The first to come is sent on, and its lease ends before the server has confirmed that.
    private async Task GiveUpAsync(IReceiver receiver, Settlement settlement)
    {
        using var lease = new CancellationTokenSource();
        var taken = await TakeFirstAsync(receiver);

        var settling = receiver.SettleAsync(taken, settlement, lease.Token).AsTask();
        Assert.Equal("publish", await Sending.AskedAsync());
        receiver.LetGo(taken);
        await lease.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling.WaitAsync(s_patience));
        Assert.Equal(["nack 1"], Receiving("orders").Asked());
    }

    private FakeChannel Receiving(string queue) => _connections[$"{queue}, receiving"].Channels[^1];

    private async Task<IConnection> ConnectAsync(string purpose)
    {
        var connection = FakeConnection.Open();
        (connection.Version, connection.FrameMax) = (_version, _frameMax);
        connection.Answer = question => question == "close" || question == _hanging ? _answering.Task : Task.CompletedTask;
        _connections[purpose] = connection;
        if (_hanging == purpose)
            await _connecting.Task;
        return connection.Connection;
    }
}
