using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>How an engine begins and ends, and what it says of that.</summary>
public sealed class EngineLifeTests : IDisposable
{
    private readonly Notes<EngineLifeTests> _log = new();
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void Started_again_while_it_runs_it_goes_on_as_it_does()
    {
        var hand = New().Start();

        hand.Start();

        Assert.Equal(1, hand.Spy.ReceivesUnderWay);
    }

    [Fact]
    public void Once_it_was_stopped_it_does_not_start_again()
    {
        var hand = New().Start();
        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);

        var refused = Assert.Throws<InvalidOperationException>(hand.Engine.Start);

        Assert.Contains("stopped", refused.Message, StringComparison.Ordinal);
        Assert.Equal(EngineState.Stopped, hand.Engine.State);
    }

    [Fact]
    public void Once_it_was_disposed_it_does_not_start_again()
    {
        var hand = New();
        hand.Engine.Dispose();

        Assert.Throws<InvalidOperationException>(hand.Engine.Start);
    }

    [Fact]
    public void It_opens_and_receives_in_turns_of_its_own_and_not_in_those_of_whoever_starts_it()
    {
        var hand = New();

        hand.Engine.Start();
        Assert.False(hand.Queue.IsOpen);
        hand.Run(0);

        Assert.True(hand.Queue.IsOpen);
    }

    [Fact]
    public async Task Queues_are_closed_side_by_side_and_one_that_fails_to_leaves_no_other_open()
    {
        var answer = new TaskCompletionSource();
        List<string> closing = [];
        var hand = New("parcels", "returns").Start();
        hand.Spy.OnClose = queue =>
        {
            closing.Add(queue);
            return queue == "orders" ? throw new Unreadable() : answer.Task;
        };

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);
        var close = hand.Engine.CloseAsync();
        Assert.Equal(["orders", "parcels", "returns"], closing);
        Assert.False(close.IsCompleted);
        answer.SetResult();
        await close;

        Assert.Equal(["Warning: Closing orders failed: (can't be read: NotSupportedException) What it still held comes again when the broker finds out."], _log.Lines.Skip(1));
    }

    [Fact]
    public async Task What_a_broker_may_not_have_heard_of_when_its_queue_is_closed_is_told()
    {
        var hand = New().Start();
        hand.Spy.Unheard = "The last settlement may not have been heard.";

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);
        await hand.Engine.CloseAsync();

        Assert.Equal("Warning: Closed orders: The last settlement may not have been heard.", _log.Lines[^1]);
    }

    [Fact]
    public async Task A_receiver_that_is_there_only_after_its_queue_was_closed_is_closed_too()
    {
        var hand = _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: _log);
        var late = new FakeReceiver(hand.Time);

        await hand.Queue.CloseAsync();
        await hand.Queue.OpenAsync(late);

        Assert.True(late.IsClosed);
    }

    [Fact]
    public void What_was_left_out_of_the_log_is_counted_at_the_end()
    {
        var hand = _hand = new EngineByHand((_, _) => throw new InvalidOperationException("No luck."), log: _log);
        hand.Start().Send([.. Enumerable.Range(0, 100).Select(n => $"{n}")]);
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);
        hand.RunTo(hand.Engine.CloseAsync(), within: 0.2);

        Assert.Contains("80 more failed messages", _log.Lines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_stop_that_nothing_ran_at_is_not_counted_as_one_that_came_too_early()
    {
        var hand = New();
        hand.Engine.Start();

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.Zero), within: 3);

        Assert.Equal(0, hand.Meter.DrainTimeouts);
    }

    [Fact]
    public void A_stop_that_a_handler_still_ran_at_is_counted()
    {
        var hand = _hand = new EngineByHand(async (_, _) =>
        {
            await _hand!.Sleep(600);
            return Settlement.Complete;
        });
        hand.Start().Send("a");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(1)), within: 4);

        Assert.Equal(1, hand.Meter.DrainTimeouts);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_receive_that_fails_after_the_end_is_nothing_to_tell(bool isTransient)
    {
        var answer = new TaskCompletionSource<int>();
        var hand = New();
        hand.Spy.OnReceive = () => answer.Task;
        hand.Start();

        hand.Engine.Dispose();
        answer.SetException(new BrokerException("It is gone.", isTransient));
        hand.Run(1);

        Assert.Empty(_log.Troubles);
        Assert.NotEqual(EngineState.Failed, hand.Engine.State);
    }

    [Fact]
    public void It_fails_by_an_exception_that_cannot_be_read_as_well()
    {
        var hand = New();
        hand.Spy.OnReceive = () => throw new Unreadable();

        hand.Start();

        Assert.Equal((EngineState.Failed, "Can't consume orders: (can't be read: NotSupportedException)"), (hand.Status.State, hand.Status.Fault));
        Assert.Equal(["Critical: Can't consume orders: (can't be read: NotSupportedException)"], _log.Lines);
    }

    [Fact]
    public async Task A_turn_that_never_ends_is_named_at_the_end()
    {
        using var answer = new ManualResetEvent(false);
        var begun = new TaskCompletionSource();
        var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 0 }, TimeProvider.System);
        using var engine = new Engine(lanes, new LeaseKeeper(lanes, () => 0), new(), new NoBroker(), new(lanes.Clock.Time, 1, 0), [], _log) { LastPatience = TimeSpan.FromMilliseconds(1) };
        _ = Task.Factory.StartNew(
            () =>
            {
                begun.SetResult();
                answer.WaitOne();
            },
            default,
            TaskCreationOptions.None,
            lanes.NewStrand(0, "m7"));
        await begun.Task;

        engine.Dispose();
        answer.Set();

        Assert.Equal(["Warning: 1 turns have not ended, and their threads are left behind: m7."], _log.Lines);
    }

    private EngineByHand New(params string[] otherQueues) =>
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: _log, otherQueues: otherQueues);

    private sealed class Unreadable : Exception
    {
        public override string Message => throw new NotSupportedException();
    }

    private sealed class NoBroker : IBroker
    {
        public string System => "none";

        public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

        public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

        public ValueTask DisposeAsync() => default;
    }
}
