using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class EngineTests : IDisposable
{
    private EngineByHand? _hand;
    private int _running;
    private int _mostRunning;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void Never_more_handlers_run_at_once_than_allowed()
    {
        var hand = Start(Napping(1), options => options.MaxConcurrency = 3);

        hand.Send([.. Enumerable.Range(0, 20).Select(n => $"m{n}")]);
        hand.Run(3.5);
        Assert.Equal((3, 3), (_running, hand.Queue.Admission.Used));
        hand.Run(10);

        Assert.Equal(3, _mostRunning);
        Assert.Equal(20, hand.Spy.Settled.Count);
    }

    [Fact]
    public void No_more_is_taken_while_the_bytes_in_flight_are_too_many() =>
        NoMoreIsTakenBeside(new Message { Id = "a", Body = new byte[100] }, most: 100);

    [Fact]
    public void What_a_message_says_of_itself_counts_among_the_bytes_in_flight() =>
        NoMoreIsTakenBeside(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["story"] = new string('a', 50_000) } }, most: 100_000);

    [Theory]
    [InlineData(true, "MaxSpareThreads")]
    [InlineData(false, "thread pool answers late")]
    public void No_more_is_taken_while_threads_are_scarce_or_the_pool_is_late(bool areScarce, string told)
    {
        var hand = Start(Napping(1), options => options.MaxConcurrency = 10);
        var load = new Load(2, 0, TimeSpan.Zero, 0.3, TimeSpan.Zero);

        hand.Queue.Admission.Adapt(areScarce ? load with { AreThreadsScarce = true } : load with { PoolDelay = TimeSpan.FromSeconds(1) }, isStrained: false, order: null);
        Assert.Equal(0, hand.Queue.Admission.Room);
        Assert.Contains(told, hand.Status.Queues[0].Holding, StringComparison.Ordinal);

        hand.Queue.Admission.Adapt(load, isStrained: false, order: null);
        Assert.NotEqual(0, hand.Queue.Admission.Room);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_queue_of_large_messages_goes_beyond_the_bytes_in_flight_by_less_than_one_of_them()
    {
        var most = 0L;
        var hand = Start(Napping(1), options => (options.MaxConcurrency, options.MaxBytesInFlight) = (100, 1000));
        hand.Send(new Message { Id = "first", Body = new byte[300] });
        hand.Run(0.1);
        for (var i = 0; i < 50; i++)
            hand.Send(new Message { Id = $"{i}", Body = new byte[300] });
        for (var left = 20.0; left > 0; left -= 0.1)
        {
            hand.Run(0.1);
            most = Math.Max(most, hand.Counts.Held * 300);
        }

        Assert.Equal(1200, most);
        Assert.Equal(51, hand.Spy.Settled.Count);
    }

    [Fact]
    public void Until_the_first_has_come_each_may_be_as_large_as_any()
    {
        var hand = Start(Napping(1), options => (options.MaxConcurrency, options.MaxBytesInFlight) = (100, 128L << 20));
        var body = new byte[50 << 20];
        for (var i = 0; i < 10; i++)
            hand.Send(new Message { Id = $"{i}", Body = body });

        hand.Run(0);
        Assert.Equal(3, hand.Counts.Held);

        hand.Run(10);
        Assert.Equal(10, hand.Spy.Settled.Count);
    }

    [Fact]
    public void Large_messages_are_soon_forgotten_among_small_ones()
    {
        var hand = Start(Napping(1), options => (options.MaxConcurrency, options.MaxBytesInFlight) = (100, 1000));
        hand.Send(new Message { Id = "large", Body = new byte[900] });
        hand.Run(2);
        Assert.Equal(1, hand.Queue.Admission.Room);

        for (var i = 0; i < 100; i++)
            hand.Send(new Message { Id = $"{i}", Body = new byte[1] });
        hand.Run(2);

        Assert.Equal((101, 100), (hand.Spy.Settled.Count, hand.Queue.Admission.Room));
    }

    [Fact]
    public void Nothing_is_taken_while_renewals_fail()
    {
        var hand = Start(Napping(8));
        hand.Send("a");
        hand.Run(1);
        hand.Faults.Renewals.Fail();
        hand.Run(4.5);
        hand.Send("asked for before");
        hand.Run(0);
        hand.Send("b");
        hand.Run(1);

        Assert.Equal(1, hand.Counts.Waiting);
        Assert.Contains("renewed", hand.Status.Queues[0].Holding, StringComparison.Ordinal);

        hand.Faults.Heal();
        hand.Run(20);
        Assert.Equal(["a Complete", "asked for before Complete", "b Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void The_more_urgent_message_is_handled_first()
    {
        List<string> runs = [];
        var hand = Start((message, _) =>
        {
            runs.Add(message.Id);
            return new(Settlement.Complete);
        });
        hand.Send("wakes");
        hand.Send(new Message { Id = "ordinary" });
        hand.Send(new Message { Id = "urgent", Priority = 9 });
        hand.Run(1);

        Assert.Equal("urgent", runs.Except(["wakes"]).First());
    }

    [Fact]
    public void A_cut_connection_that_is_restored_costs_nothing_if_the_locks_outlast_it()
    {
        var hand = Start(Napping(30));
        hand.Send("a");
        hand.Run(3);
        hand.Faults.Cut();
        hand.Run(4);
        Assert.False(hand.Status.Queues[0].IsConnected);
        Assert.Contains("cut", hand.Status.Queues[0].Problem, StringComparison.Ordinal);
        hand.Faults.Restore();
        hand.Run(1);
        hand.Send("b");
        hand.Run(70);

        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        Assert.Null(hand.Status.Queues[0].Problem);
    }

    [Fact]
    public void A_complaint_is_over_once_the_broker_is_reached_again_though_no_message_comes()
    {
        var hand = Start(Napping(1));
        hand.Faults.Cut();
        hand.Run(1);
        Assert.NotNull(hand.Status.Queues[0].Problem);

        hand.Faults.Restore();
        hand.Run(60);

        Assert.True(hand.Status.Queues[0].IsConnected);
        Assert.Null(hand.Status.Queues[0].Problem);
    }

    [Fact]
    public void That_the_broker_is_reached_again_is_told_once_and_before_a_message_comes()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        var hand = _hand.Start();
        hand.Faults.Cut();
        hand.Run(10);
        hand.Faults.Restore();
        hand.Run(30);
        Assert.Equal("Information: Broker reached: consuming orders.", log.Lines[^1]);

        foreach (var id in new[] { "a", "b", "c" })
        {
            hand.Run(30);
            hand.Send(id);
        }

        hand.Run(2);

        Assert.Equal(["a Complete", "b Complete", "c Complete"], hand.Spy.Settled);
        Assert.Equal("Information: Broker reached: consuming orders.", Assert.Single(log.Lines, line => !line.Contains("Broker trouble", StringComparison.Ordinal)));
    }

    [Fact]
    public void That_the_broker_is_reached_is_told_at_first_as_well_once_it_is()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        _hand.Start();
        Assert.Empty(log.Lines);

        _hand.Run(10);

        Assert.Equal(["Information: Broker reached: consuming orders."], log.Lines);
    }

    [Fact]
    public void What_is_in_the_way_of_a_queue_is_told_once_and_shown_while_it_lasts()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        var hand = _hand.Start();
        hand.Run(1);
        hand.Spy.Obstacle = "The broker is low on disk.";
        hand.Run(10);
        Assert.Equal("The broker is low on disk.", hand.Status.Queues[0].Problem);
        Assert.True(hand.Status.Queues[0].IsConnected);

        hand.Spy.Obstacle = null;
        hand.Run(10);

        Assert.Null(hand.Status.Queues[0].Problem);
        Assert.Equal(
            [
                "Information: Broker reached: consuming orders.",
                "Warning: Consuming orders: The broker is low on disk.",
                "Information: Consuming orders: nothing is in the way any more.",
            ],
            log.Lines);
    }

    [Fact]
    public void Settlements_that_are_refused_for_half_a_lock_are_told_once_for_their_queue_and_shown_while_it_lasts()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log);
        var hand = _hand.Start();
        hand.Faults.Settlements.Fail();
        hand.Send("a", "b", "c");

        hand.Run(8);

        const string Why = "The in-memory broker was told to fail this settlement.";
        Assert.Equal(
            $"Warning: Settling message a of orders is put off: {Why} It is held meanwhile, and tried again; so are others of this queue, without a line for each.",
            Assert.Single(log.Troubles));
        Assert.Equal($"3 settlements are put off: {Why}", hand.Status.Queues[0].Problem);
    }

    [Fact]
    public void Settlements_that_were_put_off_are_told_of_and_shown_no_more_once_they_are_over()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log);
        var hand = _hand.Start();
        hand.Faults.Settlements.Fail();
        hand.Send("a", "b");
        hand.Run(8);

        hand.Faults.Settlements.Heal();
        hand.Run(8);

        Assert.Equal("Information: No settlement of orders is put off any more.", log.Lines[^1]);
        Assert.Null(hand.Status.Queues[0].Problem);
        Assert.Equal(2, hand.Status.Queues[0].Completed);
    }

    [Fact]
    public void The_same_trouble_is_told_once_though_the_broker_gives_it_another_number_each_time()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        var (hand, tries) = (_hand, 0);
        hand.Start().Run(1);
        hand.Faults.Cut();
        hand.Spy.OnReceive = () => Task.FromException<int>(new BrokerException($"'orders' is {(hand.Now < 600 ? "disabled" : "gone")} (TrackingId:{tries++}f_G5, Timestamp:2026-01-01T00:00:{hand.Now:0}).", isTransient: true));
        hand.Run(1200);

        Assert.InRange(tries, 30, 60);
        Assert.Equal(["disabled", "gone"], log.Troubles.Skip(1).Select(line => line.Split(' ')[7]));
    }

    [Fact]
    public void A_broker_that_is_to_be_left_in_peace_is_and_the_line_says_for_how_long()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        var (hand, tries) = (_hand, 0);
        hand.Start().Run(1);
        hand.Faults.Cut();
        hand.Spy.OnReceive = () =>
        {
            tries++;
            return Task.FromException<int>(new BrokerException("It rests.", isTransient: true) { RetryAfter = TimeSpan.FromSeconds(25) });
        };

        hand.Run(60);

        Assert.InRange(tries, 2, 3);
        Assert.Contains("Warning: Broker trouble on orders: It rests. Trying again in 25.0 s.", log.Lines);
    }

    [Fact]
    public void Trouble_that_goes_on_is_told_again_where_the_broker_was_said_to_be_reached_meanwhile()
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        _hand.Faults.Receives.Slow(TimeSpan.FromSeconds(1));
        _hand.Faults.Receives.Fail();
        _hand.Start().Run(10);

        var told = log.Lines.Where(line => line.Contains(": Broker ", StringComparison.Ordinal)).Select(line => line.Split(' ')[2].TrimEnd(':')).ToArray();

        Assert.Equal(["reached", "trouble", "reached", "trouble", "reached", "trouble"], told.Take(6));
    }

    [Theory]
    [InlineData(25, 30)]
    [InlineData(60, 1)]
    public void Trouble_after_some_peace_is_answered_as_the_first_was_though_no_message_came(int peace, int within)
    {
        var log = new Notes<EngineTests>();
        _hand = new EngineByHand(Napping(1), log: log);
        var hand = _hand.Start();
        hand.Faults.Cut();
        hand.Run(120);
        hand.Faults.Restore();
        hand.Run(peace);
        Assert.Null(hand.Status.Queues[0].Problem);

        hand.Faults.Cut();
        hand.Run(0.1);
        hand.Faults.Restore();
        hand.Send("a");

        hand.Run(within - 1);
        Assert.Empty(hand.Spy.Settled);
        Assert.Equal(2, log.Lines.Count(line => line.Contains("Broker trouble", StringComparison.Ordinal)));
        hand.Run(3);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void A_connection_that_stays_cut_is_a_miss_of_that_reason()
    {
        var hand = Start(Napping(30));
        hand.Send("a");
        hand.Run(3);
        hand.Faults.Cut();
        hand.Run(7);

        Assert.Equal(1, hand.Misses(MissReason.Connection));
        Assert.Equal(0, hand.Keeper.Held);
    }

    [Fact]
    public void What_no_new_try_can_heal_fails_the_engine_once()
    {
        var failures = 0;
        _hand = new EngineByHand(Napping(1), otherQueues: "returns");
        _hand.Engine.Failed += () => failures++;
        _hand.Faults.Receives.Fail(isTransient: false);

        _hand.Start();

        Assert.Equal(1, failures);
        Assert.Equal(EngineState.Failed, _hand.Status.State);
        Assert.Contains("Can't consume orders", _hand.Status.Fault, StringComparison.Ordinal);
        Assert.Contains("told to fail", _hand.Status.Queues[0].Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void What_runs_may_finish_after_the_engine_failed_to_receive()
    {
        var hand = Start(Napping(15));
        hand.Send("a");
        hand.Faults.Receives.Fail(isTransient: false);
        hand.Run(1);
        Assert.Equal(EngineState.Failed, hand.Engine.State);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 15);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_crash_of_the_lease_loop_fails_the_engine_and_its_silence_grows()
    {
        var failures = 0;
        var hand = Start(Napping(60));
        hand.Engine.Failed += () => failures++;
        hand.Send("a");
        hand.Run(1);
        Assert.Equal(TimeSpan.Zero, hand.Status.LeaseLoopSilence);

        hand.Lanes.Add(new Crashing());
        hand.Run(5);

        Assert.Equal((1, EngineState.Failed), (failures, hand.Status.State));
        Assert.Equal("The lease loop crashed.", hand.Status.Fault);
        Assert.Equal(5, hand.Status.LeaseLoopSilence.TotalSeconds);

        var drain = hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));
        hand.RunTo(drain, within: 2.2);
        Assert.Equal(EngineState.Failed, hand.Status.State);
        Assert.Equal(0, hand.Queue.Admission.Used);
        Assert.Equal(1, hand.Counts.Waiting);
    }

    private void NoMoreIsTakenBeside(Message large, int most)
    {
        var hand = Start(Napping(1), options => (options.MaxConcurrency, options.MaxBytesInFlight) = (10, most));
        hand.Send(large);
        hand.Run(0.1);
        hand.Send(new Message { Id = "b" });
        hand.Run(0.1);

        Assert.Equal((1, 1), (_running, hand.Counts.Waiting));
        Assert.Contains("MaxBytesInFlight", hand.Status.Queues[0].Holding, StringComparison.Ordinal);

        hand.Run(3);
        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    private EngineByHand Start(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null)
    {
        _hand = new EngineByHand(handle, configure);
        return _hand.Start();
    }

    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Napping(double seconds) => async (_, cancel) =>
    {
        _mostRunning = Math.Max(_mostRunning, ++_running);
        try
        {
            await _hand!.Nap(seconds, cancel);
            return Settlement.Complete;
        }
        finally
        {
            _running--;
        }
    };

    private sealed class Crashing : ITimedWork
    {
        public TimeSpan RunDue(TimeSpan now) => throw new InvalidOperationException("A bug.");
    }
}
