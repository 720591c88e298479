using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class DrainTests : IDisposable
{
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void What_runs_may_finish_and_is_settled()
    {
        var hand = Start(async (_, _) =>
        {
            await _hand!.Sleep(15);
            return Settlement.Complete;
        });
        hand.Send("a", "b");
        hand.Run(1);

        var drain = hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));
        hand.Send("late");
        Assert.Equal(EngineState.Draining, hand.Engine.State);
        hand.RunTo(drain, within: 15);

        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        Assert.Equal(EngineState.Stopped, hand.Engine.State);
        Assert.Equal(new InMemoryQueueCounts("orders", 1, 0, 0, 0), hand.Counts);
        NothingIsHeld();
    }

    [Fact]
    public void What_has_not_begun_is_given_back_at_once()
    {
        List<string> runs = [];
        var hand = Start((message, _) =>
        {
            runs.Add(message.Id);
            return new(Settlement.Complete);
        });
        hand.Send("a");
        Assert.Equal((1, 0), (hand.Queue.Admission.Used, runs.Count));

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);

        Assert.Empty(runs);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        Assert.Equal(1, hand.Counts.Waiting);
        NothingIsHeld();
    }

    [Fact]
    public void Disposed_without_a_stop_it_takes_nothing_more()
    {
        var hand = Start((_, _) => new(Settlement.Complete));

        hand.Engine.Dispose();
        hand.Send("late");

        Assert.Equal((1, 0), (hand.Counts.Waiting, hand.Spy.Received));
    }

    [Fact]
    public void Disposed_without_a_stop_it_gives_back_what_has_not_begun()
    {
        List<string> runs = [];
        var hand = Start((message, _) =>
        {
            runs.Add(message.Id);
            return new(Settlement.Complete);
        });
        hand.Send("a");
        Assert.Equal((1, 0), (hand.Queue.Admission.Used, runs.Count));

        hand.Engine.Dispose();

        Assert.Equal(new InMemoryQueueCounts("orders", 1, 0, 0, 0), hand.Counts);
        Assert.Empty(runs);
    }

    [Fact]
    public async Task Disposed_without_a_stop_it_calls_off_what_has_begun()
    {
        var calledOff = new TaskCompletionSource();
        var hand = Start(async (_, cancel) =>
        {
            using var heard = cancel.Register(calledOff.SetResult);
            await calledOff.Task;
            return Settlement.Complete;
        });
        hand.Send("a");
        hand.Run(1);

        hand.Engine.Dispose();

        // Its lanes have ended, so it hears of it by the pool.
        await calledOff.Task.WaitAsync(TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task Where_the_broker_is_disposed_of_under_a_handler_that_is_told_with_its_cure()
    {
        var (log, isDone) = (new Notes<Engine>(), new TaskCompletionSource());
        _hand = new EngineByHand(
            async (_, _) =>
            {
                await isDone.Task;
                return Settlement.Complete;
            },
            log: log).Start();
        _hand.Send("a");
        _hand.Run(1);

        await _hand.Broker.DisposeAsync();
        isDone.SetResult();
        _hand.Run(1);

        Assert.Contains(log.Lines, line => line.StartsWith("Error: Settling message a of orders failed: Its broker was disposed of before that; stop a host", StringComparison.Ordinal));
    }

    [Fact]
    public void What_is_handled_and_waits_for_the_broker_is_no_handler_that_ran_too_long()
    {
        var log = new Notes<Engine>();
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log).Start();
        _hand.Faults.Settlements.Silence();
        _hand.Send("a");
        _hand.Run(1);

        _hand.RunTo(_hand.Engine.DrainAsync(TimeSpan.FromSeconds(2)), within: 10);

        Assert.DoesNotContain(log.Lines, line => line.Contains("handlers still ran"));
    }

    [Fact]
    public void A_stop_tells_of_the_handlers_that_run_and_not_of_all_that_is_in_hand()
    {
        var log = new Notes<Engine>();
        _hand = new EngineByHand(
            async (message, _) =>
            {
                if (message.Id == "runs")
                    await _hand!.Sleep(15);
                return Settlement.Complete;
            },
            log: log).Start();
        _hand.Faults.Settlements.Silence();
        _hand.Send("runs", "is settled");
        _hand.Run(1);
        _hand.Send("waits");
        Assert.Equal(3, _hand.Queue.Admission.Used);

        _ = _hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));

        Assert.Contains("Information: Stopping: no new messages; 1 running handlers have 20 s.", log.Lines);
    }

    [Fact]
    public void At_the_deadline_the_rest_is_called_off_given_back_and_counted()
    {
        double? told = null;
        var hand = Start(async (_, cancel) =>
        {
            cancel.Register(() => told = _hand!.Now);
            await _hand!.Nap(600, cancel);
            return Settlement.Complete;
        });
        hand.Send("a");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 20.2);

        Assert.Equal(21, told);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Drain));
        Assert.Equal(1, hand.Status.Queues[0].Misses);
        Assert.Equal(1, hand.Counts.Waiting);
        NothingIsHeld();
    }

    [Fact]
    public void The_message_of_a_handler_that_ignores_its_token_is_given_back_all_the_same()
    {
        var hand = Start(async (_, _) =>
        {
            await _hand!.Sleep(600);
            return Settlement.Complete;
        });
        hand.Send("a");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 22.2);

        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Drain));
        Assert.Equal(1, hand.Counts.Waiting);
        NothingIsHeld();

        // Its end, much later, changes nothing.
        hand.Run(600);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
    }

    [Fact]
    public void A_handler_that_completes_although_it_was_called_off_is_completed()
    {
        var hand = Start(async (_, cancel) =>
        {
            try
            {
                await _hand!.Nap(600, cancel);
            }
            catch (OperationCanceledException)
            {
            }

            return Settlement.Complete;
        });
        hand.Send("a");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 20.2);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_settlement_that_is_under_way_at_the_deadline_is_not_called_off()
    {
        var hand = Start(async (_, _) =>
        {
            await _hand!.Sleep(20);
            return Settlement.Complete;
        });
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.4));
        hand.Send("a");
        hand.Run(0);

        var drain = hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));
        hand.RunTo(drain, within: 22);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        NothingIsHeld();
    }

    [Fact]
    public void A_settlement_that_hangs_does_not_hold_up_the_stop()
    {
        var hand = Start((_, _) => new(Settlement.Complete), options => options.LockDuration = TimeSpan.FromMinutes(5));
        hand.Faults.Settlements.Silence();
        hand.Send("a");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 23.5);

        Assert.Equal(EngineState.Stopped, hand.Engine.State);
        Assert.Equal(1, hand.Counts.Held);
    }

    [Fact]
    public void A_settlement_that_is_refused_until_the_stop_is_over_ends_with_the_broker_s_word_and_counts_as_lost_by_the_stop()
    {
        var log = new Notes<Engine>();
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), configureBroker: options => options.LockDuration = TimeSpan.FromMinutes(5), log: log).Start();
        _hand.Faults.Settlements.Fail();
        _hand.Send("a");
        _hand.Run(1);

        _hand.RunTo(_hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 23.5);
        _hand.RunTo(_hand.Engine.CloseAsync(), within: 0.2);
        _hand.Run(0.1);

        Assert.Contains("Error: Settling message a of orders failed: The in-memory broker was told to fail this settlement.", log.Lines);
        Assert.DoesNotContain(log.Lines, line => line.Contains("disposed"));
        Assert.Equal((1, 0), (_hand.Misses(MissReason.Drain), _hand.Misses(MissReason.Connection)));
        Assert.Equal(0, _hand.Queue.Admission.Used);
    }

    [Fact]
    public void A_stop_before_the_start_takes_nothing()
    {
        var log = new Notes<Engine>();
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log);
        _hand.Send("a");

        _hand.RunTo(_hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);
        _hand.RunTo(_hand.Engine.CloseAsync(), within: 0.2);

        Assert.DoesNotContain(log.Lines, line => line.StartsWith("Warning", StringComparison.Ordinal));
        Assert.Equal(EngineState.Stopped, _hand.Engine.State);
        Assert.Equal(1, _hand.Counts.Waiting);
    }

    [Fact]
    public void A_stop_while_the_broker_is_away_does_not_wait_for_it()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Faults.Cut();
        hand.Run(10);

        var drain = hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));

        hand.RunTo(drain, within: 0.2);
        Assert.Null(hand.Time.UntilNextTimer);
    }

    [Fact]
    public void A_stop_waits_for_what_is_on_its_way_to_us_and_gives_it_back()
    {
        List<string> runs = [];
        var arrival = new TaskCompletionSource();
        var hand = Start((message, _) =>
        {
            runs.Add(message.Id);
            return new(Settlement.Complete);
        });
        hand.Spy.Way = arrival.Task;
        hand.Send("a");

        var drain = hand.Engine.DrainAsync(TimeSpan.FromSeconds(20));
        hand.Run(5);
        Assert.False(drain.IsCompleted);
        arrival.SetResult();
        hand.RunTo(drain, within: 0.2);

        Assert.Empty(runs);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        NothingIsHeld();
    }

    private void NothingIsHeld() =>
        Assert.Equal((0, 0, 0, 0), (_hand!.Keeper.Held, _hand.Queue.Meter.Held, _hand.Queue.Admission.Used, _hand.Counts.Held));

    private EngineByHand Start(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<InMemoryBrokerOptions>? configureBroker = null)
    {
        _hand = new EngineByHand(handle, configureBroker: configureBroker);
        return _hand.Start();
    }
}
