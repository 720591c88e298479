using System.Buffers;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class IntakeTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_shutAfter = TimeSpan.FromMilliseconds(100);

    private readonly VirtualTime _time = new();
    private readonly FakeChannel _channel = FakeChannel.Open();
    private readonly Recollection _recollection = new();
    private readonly Intake _intake;

    public IntakeTests() => _intake = Opened.On(_channel, _time, _recollection);

    [Fact]
    public async Task A_receive_asks_for_as_many_as_there_is_room_for_and_waits_for_the_first()
    {
        var (waiting, room) = await ReceiveAsync(room: 3);
        Assert.False(waiting.IsCompleted);

        await _channel.DeliverAsync(1, "a");

        Assert.Equal(1, await waiting.WaitAsync(s_patience));
        Assert.Equal(("a", 1), (room[0].Message.Id, room[0].DeliveryCount));
    }

    [Fact]
    public async Task What_the_memory_has_no_room_for_ends_the_channel_so_that_it_goes_back()
    {
        var (waiting, _) = await ReceiveAsync(room: 3);

        await _channel.DeliverAsync(1, "a", body: new NoRoom().Memory);

        Assert.True(_intake.IsOver);
        await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
    }

    [Fact]
    public async Task One_that_a_message_may_have_ended_says_how_long_the_rest_is_before_the_next()
    {
        await _channel.ShutDownAsync(new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.InternalError, "INTERNAL_ERROR"));

        var end = await Assert.ThrowsAsync<BrokerException>(() => _intake.ReceiveAsync(new Delivery[1], default).AsTask().WaitAsync(s_patience));
        Assert.Equal(TimeSpan.FromMilliseconds(200), end.RetryAfter);
    }

    [Fact]
    public async Task A_consumer_that_the_server_does_not_answer_for_is_told_and_waited_for_on_the_same_channel()
    {
        var answering = new TaskCompletionSource();
        _channel.Answer = question => question == "consume" ? answering.Task : Task.CompletedTask;
        var (waiting, _) = await ReceiveAsync(room: 1);
        using var patience = new CancellationTokenSource(s_patience);
        while (_time.UntilNextTimer != Questions.Patience && !patience.IsCancellationRequested)
            await Task.Yield();
        Assert.False(_intake.IsUnanswered);

        _time.Advance(Questions.Patience);

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).IsTransient);
        Assert.Equal((true, false), (_intake.IsUnanswered, _intake.IsOver));
        await Assert.ThrowsAsync<BrokerException>(() => _intake.ReceiveAsync(new Delivery[1], default).AsTask().WaitAsync(s_patience));
        Assert.Empty(_channel.Asked());
        answering.SetResult();
        await _channel.DeliverAsync(1, "a");
        Assert.Equal(1, await _intake.ReceiveAsync(new Delivery[1], default).AsTask().WaitAsync(s_patience));
        while (_intake.IsUnanswered && !patience.IsCancellationRequested)
            await Task.Yield();
        Assert.False(_intake.IsUnanswered);
    }

    [Fact]
    public async Task A_sign_of_life_that_does_not_come_is_told_once_while_leases_last_and_is_waited_for()
    {
        await TakeAsync();
        var answering = new TaskCompletionSource();
        _channel.Answer = _ => answering.Task;
        var waiting = _intake.ReceiveAsync(new Delivery[1], default).AsTask();
        var beat = _intake.BeatAsync();

        _time.Advance((Opened.LockDuration / 4) - TimeSpan.FromTicks(1));
        Assert.False(_intake.IsUnanswered);
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).IsTransient);
        Assert.Equal((true, false), (_intake.IsUnanswered, _intake.IsOver));
        var waitingOn = _intake.ReceiveAsync(new Delivery[1], default).AsTask();
        Assert.False(waitingOn.IsCompleted);
        answering.SetResult();
        await beat.WaitAsync(s_patience);
        Assert.False(_intake.IsUnanswered);
        await _channel.DeliverAsync(2, "b");
        Assert.Equal(1, await waitingOn.WaitAsync(s_patience));
    }

    [Fact]
    public async Task That_a_sign_of_life_was_late_is_told_to_nobody_once_it_is_here()
    {
        await TakeAsync();
        var answering = new TaskCompletionSource();
        _channel.Answer = _ => answering.Task;
        var beat = _intake.BeatAsync();
        _time.Advance(Opened.LockDuration / 4);
        answering.SetResult();
        await beat.WaitAsync(s_patience);

        var waiting = _intake.ReceiveAsync(new Delivery[1], default).AsTask();
        await _channel.DeliverAsync(2, "b");

        Assert.Equal(1, await waiting.WaitAsync(s_patience));
    }

    [Fact]
    public async Task The_end_of_the_channel_says_what_severed_its_leases()
    {
        var held = await TakeAsync();
        Assert.Null(held.WhySevered);

        _intake.Fail(new BrokerException("gone", isTransient: true));
        _intake.Fail(new BrokerException("gone, as it is told again", isTransient: true));

        Assert.Equal("gone", held.WhySevered);
    }

    [Fact]
    public async Task Who_waits_for_a_sign_of_life_of_a_channel_that_hangs_is_told_when_it_is_given_up()
    {
        await TakeAsync();
        _channel.Answer = _ => Task.Delay(Timeout.Infinite);
        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(2, "b");
        var receiving = _intake.ReceiveAsync(new Delivery[1], default).AsTask();
        var renewing = _intake.BeatAsync();

        _intake.Abandon(new BrokerException("given up", isTransient: true));

        Assert.Equal("given up", (await Assert.ThrowsAsync<BrokerException>(() => receiving.WaitAsync(s_patience))).Message);
        await Assert.ThrowsAsync<BrokerException>(() => renewing.WaitAsync(s_patience));
    }

    [Fact]
    public async Task What_nobody_takes_has_no_more_sent_and_is_given_back_in_the_end()
    {
        await TakeAsync();
        await _channel.DeliverAsync(2, "b");
        await _channel.DeliverAsync(3, "c");

        _time.Advance(s_shutAfter - TimeSpan.FromMilliseconds(1));
        Assert.Empty(_channel.Asked());
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal("cancel", await _channel.AskedAsync());

        _time.Advance(TimeSpan.FromSeconds(4.8));
        Assert.Empty(_channel.Asked());
        _time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.Equal(["nack 2", "nack 3"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        Assert.Equal(2, _recollection.GivenBack);
    }

    [Fact]
    public async Task Who_asks_for_it_and_waits_for_a_sign_of_life_is_waited_for_as_long_as_for_any_answer()
    {
        var answering = new TaskCompletionSource();
        await TakeAsync();
        _channel.Answer = _ => answering.Task;
        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(2, "b");

        // So many that the prefetch stays as it is.
        var receiving = _intake.ReceiveAsync(new Delivery[3], default).AsTask();
        Assert.Equal("qos 4", await _channel.AskedAsync());

        _time.Advance(Questions.Patience - TimeSpan.FromTicks(1));
        Assert.Empty(_channel.Asked());
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal(["nack 2"], _channel.Asked());
        answering.SetResult();
        await _channel.DeliverAsync(3, "b");
        Assert.Equal(1, await receiving.WaitAsync(s_patience));
    }

    [Fact]
    public async Task What_is_to_be_handled_in_order_has_no_more_sent_and_is_kept_for_half_of_the_time_that_it_may_be()
    {
        var intake = Opened.On(_channel, _time, _recollection, inOrder: true);
        await TakeAsync(intake);
        await _channel.DeliverAsync(2, "b");
        _time.Advance(s_shutAfter);
        Assert.Equal("cancel", await _channel.AskedAsync());
        await _channel.DeliverAsync(3, "c");

        _time.Advance((Opened.HoldLimit / 2) - s_shutAfter - TimeSpan.FromTicks(1));
        Assert.Empty(_channel.Asked());
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal(["nack 2", "nack 3"], _channel.Asked());
        var told = await Assert.ThrowsAsync<BrokerException>(() => intake.ReceiveAsync(new Delivery[1], default).AsTask());
        Assert.Matches("^2 messages of orders .* 15 minutes", told.Message);
        Assert.True(told.IsTransient);

        // Once.
        var waiting = intake.ReceiveAsync(new Delivery[1], default).AsTask();
        await _channel.DeliverAsync(4, "b");
        Assert.Equal(1, await waiting.WaitAsync(s_patience));
    }

    [Fact]
    public async Task Once_what_was_kept_is_taken_the_next_that_nobody_takes_has_no_more_sent()
    {
        var intake = Opened.On(_channel, _time, _recollection, inOrder: true);
        await TakeAsync(intake);
        await _channel.DeliverAsync(2, "b");
        _time.Advance(s_shutAfter);
        Assert.Equal("cancel", await _channel.AskedAsync());
        Assert.Equal(1, await intake.ReceiveAsync(new Delivery[1], default));
        var waiting = intake.ReceiveAsync(new Delivery[3], default).AsTask();
        Assert.Equal(["qos 3", "consume"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        await _channel.DeliverAsync(3, "c");
        await waiting.WaitAsync(s_patience);
        await _channel.DeliverAsync(4, "d");

        _time.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal("cancel", await _channel.AskedAsync());
    }

    [Fact]
    public async Task What_is_kept_in_order_is_not_given_back_because_the_server_is_slow_to_show_a_sign_of_life()
    {
        var intake = Opened.On(_channel, _time, _recollection, inOrder: true);
        await TakeAsync(intake);
        var answering = new TaskCompletionSource();
        _channel.Answer = _ => answering.Task;
        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(2, "b");

        // So many that the prefetch stays as it is.
        var receiving = intake.ReceiveAsync(new Delivery[3], default).AsTask();
        Assert.Equal("qos 4", await _channel.AskedAsync());
        _time.Advance(Questions.Patience * 2);
        Assert.Empty(_channel.Asked());
        answering.SetResult();

        Assert.Equal(1, await receiving.WaitAsync(s_patience));
    }

    [Fact]
    public async Task What_lay_there_for_half_of_its_lock_is_taken_with_a_lock_that_the_server_has_just_renewed()
    {
        var intake = Opened.On(_channel, _time, _recollection, inOrder: true);
        Assert.Null((await TakeAsync(intake)).LockedAt);
        await _channel.DeliverAsync(2, "b");
        _time.Advance(Opened.LockDuration / 2);
        Assert.Equal("cancel", await _channel.AskedAsync());
        var room = new Delivery[1];

        Assert.Equal(1, await intake.ReceiveAsync(room, default).AsTask().WaitAsync(s_patience));

        Assert.Equal(["qos 4"], _channel.Asked());
        Assert.Equal(_time.GetTimestamp(), room[0].LockedAt);
    }

    [Fact]
    public async Task What_is_taken_in_time_is_neither_given_back_nor_has_anything_shut()
    {
        await TakeAsync();
        await _channel.DeliverAsync(2, "b");
        Assert.Equal(1, await _intake.ReceiveAsync(new Delivery[3], default));

        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.Empty(_channel.Asked());
    }

    [Fact]
    public async Task What_is_found_after_a_long_silence_is_handed_over_once_the_server_has_shown_that_it_still_counts_on_us()
    {
        var answering = new TaskCompletionSource();
        var (waiting, room) = await ReceiveAsync(room: 1);
        _channel.Answer = _ => answering.Task;

        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(1, "a");
        Assert.Equal(["look", "qos 1"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        Assert.False(waiting.IsCompleted);
        answering.SetResult();

        Assert.Equal(1, await waiting.WaitAsync(s_patience));
        Assert.Equal("a", room[0].Message.Id);
    }

    [Fact]
    public async Task No_sign_of_life_comes_between_a_consumer_and_its_prefetch()
    {
        var answering = new TaskCompletionSource();
        _channel.Answer = _ => answering.Task;
        var waiting = _intake.ReceiveAsync(new Delivery[4], default).AsTask();
        Assert.Equal("qos 4", await _channel.AskedAsync());

        var beat = _intake.BeatAsync();
        answering.SetResult();
        await beat.WaitAsync(s_patience);

        Assert.Equal(["consume", "qos 4"], _channel.Asked());
        Assert.False(waiting.IsCompleted);
    }

    [Fact]
    public async Task Nothing_is_shut_under_one_who_waits()
    {
        var answering = new TaskCompletionSource();
        var (waiting, _) = await ReceiveAsync(room: 1);
        _channel.Answer = _ => answering.Task;

        // It is on the shelf until the server has answered.
        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(1, "a");
        Assert.Equal(["look", "qos 1"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        _time.Advance(s_shutAfter);
        answering.SetResult();
        Assert.Equal(1, await waiting.WaitAsync(s_patience));

        // What is asked comes in order: had anything been shut, this would not be next.
        await ReceiveAsync(room: 1);
    }

    [Fact]
    public async Task What_is_found_after_a_long_silence_is_not_handed_over_by_a_channel_that_is_gone()
    {
        var (waiting, room) = await ReceiveAsync(room: 1);
        _channel.Answer = _ => Task.FromException(new InvalidOperationException("gone"));

        _time.Advance(Opened.LockDuration);
        await _channel.DeliverAsync(1, "a");

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).IsTransient);
        Assert.Null(room[0]);
    }

    [Fact]
    public async Task A_receive_that_is_called_off_hands_over_what_came_meanwhile()
    {
        var cancelling = new TaskCompletionSource();
        var (waiting, room) = await CallOffAsync(cancelling.Task);

        cancelling.SetResult();

        Assert.Equal(1, await waiting.WaitAsync(s_patience));
        Assert.Equal("a", room[0].Message.Id);
    }

    [Fact]
    public async Task But_nothing_that_went_back_with_its_channel()
    {
        var cancelling = new TaskCompletionSource();
        var (waiting, room) = await CallOffAsync(cancelling.Task);

        await _channel.ShutDownAsync();
        cancelling.SetResult();

        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting.WaitAsync(s_patience));
        Assert.Null(room[0]);
    }

    [Fact]
    public async Task A_receive_that_is_called_off_while_nothing_comes_took_nothing()
    {
        using var callOff = new CancellationTokenSource();
        var (waiting, _) = await ReceiveAsync(room: 2, callOff.Token);

        await callOff.CancelAsync();

        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting.WaitAsync(s_patience));
        Assert.Equal(["cancel"], _channel.Asked());
    }

    [Fact]
    public async Task While_another_waits_a_receive_that_is_called_off_shuts_nothing()
    {
        using var callOff = new CancellationTokenSource();
        var (waiting, _) = await ReceiveAsync(room: 1);
        var calledOff = _intake.ReceiveAsync(new Delivery[1], callOff.Token).AsTask();

        await callOff.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(() => calledOff.WaitAsync(s_patience));
        Assert.DoesNotContain("cancel", _channel.Asked());

        await _channel.DeliverAsync(1, "a");
        Assert.Equal(1, await waiting.WaitAsync(s_patience));
    }

    [Fact]
    public async Task The_end_of_the_channel_ends_a_wait_and_every_lease()
    {
        var held = await TakeAsync();
        var waiting = _intake.ReceiveAsync(new Delivery[1], default).AsTask();

        await _channel.ShutDownAsync();

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).IsTransient);
        Assert.True(held.Intake.IsOver);
        await Assert.ThrowsAsync<BrokerException>(() => _intake.ReceiveAsync(new Delivery[1], default).AsTask());
    }

    [Fact]
    public async Task A_consumer_that_the_server_ends_takes_its_channel_with_it_for_the_queue_is_gone_from_there()
    {
        var (waiting, _) = await ReceiveAsync(room: 1);

        await _channel.CancelAsync();

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).IsTransient);
        Assert.True(_intake.IsOver);
        Assert.Equal(["close"], _channel.Asked());
        await _channel.Disposed.WaitAsync(s_patience);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_has_worked_before_never_ends_for_good(bool hasWorked)
    {
        _intake.HasWorked = hasWorked;

        _intake.Fail(new BrokerException("refused", isTransient: false));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => _intake.ReceiveAsync(new Delivery[1], default).AsTask());
        Assert.Equal(("refused", hasWorked), (problem.Message, problem.IsTransient));
    }

    [Fact]
    public async Task It_has_worked_once_a_consumer_is_open()
    {
        Assert.False(_intake.HasWorked);
        await TakeAsync();

        // The server answers in order.
        await _intake.BeatAsync();

        Assert.True(_intake.HasWorked);
    }

    [Fact]
    public async Task Closing_ends_a_wait_as_called_off()
    {
        var (waiting, _) = await ReceiveAsync(room: 1);

        await _intake.CloseAsync();

        await Assert.ThrowsAsync<OperationCanceledException>(() => waiting.WaitAsync(s_patience));
        Assert.Equal(["close"], _channel.Asked());
    }

    [Fact]
    public async Task So_it_ends_a_wait_for_a_sign_of_life_that_does_not_come()
    {
        await TakeAsync();
        _channel.Answer = question => question == "close" ? Task.CompletedTask : Task.Delay(Timeout.Infinite);
        var renewing = _intake.BeatAsync();

        await _intake.CloseAsync();

        await Assert.ThrowsAsync<OperationCanceledException>(() => renewing.WaitAsync(s_patience));
    }

    private Task<(Task<int> Waiting, Delivery[] Room)> ReceiveAsync(int room, CancellationToken cancel = default) => ReceiveAsync(_intake, room, cancel);

    private async Task<(Task<int> Waiting, Delivery[] Room)> ReceiveAsync(Intake intake, int room, CancellationToken cancel = default)
    {
        var deliveries = new Delivery[room];
        var waiting = intake.ReceiveAsync(deliveries, cancel).AsTask();
        Assert.Equal([$"qos {room}", "consume"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        return (waiting, deliveries);
    }

    // A receive that is called off, and what the server sends to it before it has heard of that.
    private async Task<(Task<int> Waiting, Delivery[] Room)> CallOffAsync(Task cancelled)
    {
        using var callOff = new CancellationTokenSource();
        var (waiting, room) = await ReceiveAsync(room: 2, callOff.Token);
        _channel.Answer = _ => cancelled;

        await callOff.CancelAsync();
        Assert.Equal("cancel", await _channel.AskedAsync());
        await _channel.DeliverAsync(1, "a");
        return (waiting, room);
    }

    private Task<RabbitMqDelivery> TakeAsync() => TakeAsync(_intake);

    private async Task<RabbitMqDelivery> TakeAsync(Intake intake)
    {
        var (waiting, room) = await ReceiveAsync(intake, room: 4);
        await _channel.DeliverAsync(1, "a");
        Assert.Equal(1, await waiting.WaitAsync(s_patience));
        return (RabbitMqDelivery)room[0];
    }

    /// <summary>A body that can't be copied.</summary>
    private sealed class NoRoom : MemoryManager<byte>
    {
        public override Span<byte> GetSpan() => throw new InsufficientMemoryException();

        public override Memory<byte> Memory => CreateMemory(1);

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
