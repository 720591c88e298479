using Holdfast.Broker;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class BreakerTests : IDisposable
{
    private readonly List<(string Id, double At)> _runs = [];
    private Func<HeldMessage, bool> _fails = _ => true;
    private Settlement _answer = Settlement.Complete;
    private bool _heedsByAnswering;
    private double _handling = 0.01;
    private EngineByHand? _hand;

    public static TheoryData<SettlementKind> Later => [SettlementKind.Delay, SettlementKind.Abandon];

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void Receiving_pauses_when_too_many_handlers_fail_and_the_reason_is_shown()
    {
        var hand = Start();

        Send(40);
        hand.Run(5);

        // Two rounds of four come to the five that must have been handled at least.
        Assert.Equal((8, 32), (_runs.Count, hand.Counts.Waiting));
        Assert.Equal(0, hand.Keeper.Held);
        Assert.Equal("too many handlers have failed (Breaker__FailureRatio)", hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void After_the_pause_one_message_is_let_through_and_its_success_ends_the_pause()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        _handling = 0.5;

        hand.Run(5.45);
        Assert.Equal(9, _runs.Count);
        Assert.Equal("too many handlers have failed (Breaker__FailureRatio)", hand.Status.Queues[0].Holding);
        hand.Run(0.6);

        Assert.Equal(13, _runs.Count);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_that_fails_makes_the_next_pause_longer_up_to_the_longest()
    {
        var hand = Start();
        Send(40);

        hand.Run(100);

        // Pauses of 10, 20, 25 and 25 s; room is looked for ten times a second.
        var pauses = _runs.Skip(7).Zip(_runs.Skip(8), (one, next) => next.At - one.At).ToArray();
        Assert.Equal([10, 20, 25, 25], pauses.Select(pause => Math.Floor(pause)));
    }

    [Fact]
    public void What_is_in_hand_when_receiving_pauses_is_kept_and_handled_to_its_end()
    {
        _fails = message => message.Id != "slow";
        var hand = Start();
        hand.Send("slow");
        Send(40);

        hand.Run(5);
        Assert.NotNull(hand.Status.Queues[0].Holding);
        Assert.Equal(1, hand.Keeper.Held);
        hand.Run(3);

        Assert.Contains("slow Complete", hand.Spy.Settled);
        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_whose_lease_is_lost_has_told_nothing_and_another_one_is_let_through()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        _handling = 30;
        hand.Run(6);
        Assert.Equal(9, _runs.Count);

        _handling = 0.01;
        hand.Keeper.Lose(hand.Queue.InHand.All()[0].Lease, MissReason.Expired);
        hand.Run(1);

        Assert.True(_runs.Count > 10);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Theory]
    [MemberData(nameof(Later))]
    public void A_probe_that_is_put_off_makes_the_next_pause_longer(SettlementKind kind)
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        (_fails, _answer) = (_ => false, Answer(kind));

        hand.Run(95);

        var pauses = _runs.Skip(7).Zip(_runs.Skip(8), (one, next) => next.At - one.At).ToArray();
        Assert.Equal([10, 20, 25, 25], pauses.Select(pause => Math.Floor(pause)));
        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Theory]
    [MemberData(nameof(Later))]
    public void What_is_put_off_is_neither_a_failure_nor_handled(SettlementKind kind)
    {
        (_fails, _answer) = (message => int.Parse(message.Id) % 3 == 0, Answer(kind));
        var hand = Start(options => options.MaxConcurrency = 1);

        Send(12);
        hand.Run(2);
        Assert.Null(hand.Status.Queues[0].Holding);
        Send(1);
        hand.Run(2);

        // Four that failed are too few to count; five of five are all.
        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_that_is_called_off_and_gives_back_its_message_has_told_nothing()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        (_fails, _answer, _heedsByAnswering, _handling) = (_ => false, Settlement.Abandon, true, 30);
        hand.Run(6);
        Assert.Equal(9, _runs.Count);

        _handling = 0.01;
        hand.Keeper.Lose(hand.Queue.InHand.All()[0].Lease, MissReason.Expired);
        hand.Run(0);
        _answer = Settlement.Complete;
        hand.Run(1);

        Assert.True(_runs.Count > 10);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_that_hangs_shuts_nothing_for_ever_for_another_one_is_let_through()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        _handling = 1e6;
        hand.Run(6);
        Assert.Equal(9, _runs.Count);

        _handling = 0.01;
        hand.Run(9);
        Assert.Equal(9, _runs.Count);
        hand.Run(2);

        Assert.Equal(40, _runs.Count);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_that_is_slow_still_counts_once_another_one_was_let_through()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        _handling = 12;

        hand.Run(17);
        Assert.Equal(10, _runs.Count);
        Assert.NotNull(hand.Status.Queues[0].Holding);
        hand.Run(1);

        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void A_probe_that_fails_late_does_not_undo_what_a_later_one_proves()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = message => message.Id == _runs[8].Id;
        _handling = 12;
        hand.Run(6);
        _handling = 6;
        hand.Run(10);
        Assert.Equal(10, _runs.Count);

        // The first probe, of 12 s, fails while the second still runs, which comes to its end 4 s later.
        hand.Run(5.5);

        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void What_was_a_probe_before_the_last_pause_has_no_say_in_the_next_one()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        _handling = 30;
        hand.Run(6);
        _handling = 0.01;
        hand.Run(11);
        Assert.Equal((40, 0), (_runs.Count, hand.Counts.Waiting));
        _fails = message => message.Id != _runs[8].Id;
        hand.Run(12);

        // It succeeds while receiving pauses anew.
        Send(40);
        hand.Run(5);
        var before = _runs.Count;
        hand.Run(4);

        Assert.Contains($"{_runs[8].Id} Complete", hand.Spy.Settled);
        Assert.Equal(before, _runs.Count);
        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void Only_a_failure_pauses_however_many_have_failed_before()
    {
        _fails = message => message.Id != "4";
        var hand = Start(options => options.MaxConcurrency = 1);

        Send(5);
        hand.Run(1);
        Assert.Null(hand.Status.Queues[0].Holding);
        Send(1);
        hand.Run(1);

        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void The_limit_does_not_grow_while_receiving_pauses()
    {
        var hand = Start(options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Adaptive, 256));
        Send(400);
        hand.Run(1);
        Assert.NotNull(hand.Status.Queues[0].Holding);
        var limit = hand.Queue.Admission.Limit;

        hand.Run(8);

        Assert.NotNull(hand.Status.Queues[0].Holding);
        Assert.Equal(limit, hand.Queue.Admission.Limit);
    }

    [Fact]
    public void Fewer_failures_than_the_ratio_pause_nothing()
    {
        _fails = message => int.Parse(message.Id) % 3 == 0;
        var hand = Start();

        Send(40);
        hand.Run(5);

        Assert.Equal(0, hand.Counts.Waiting);
    }

    [Fact]
    public void Failures_count_for_as_long_as_the_window()
    {
        var hand = Start();
        Send(4);

        hand.Run(19.5);
        Assert.Null(hand.Status.Queues[0].Holding);
        Send(1);
        hand.Run(0.4);

        Assert.NotNull(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void Failures_long_ago_are_forgotten()
    {
        var hand = Start();

        for (var n = 0; n < 12; n++)
        {
            hand.Send($"{n}");
            hand.Run(6);
        }

        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void Messages_that_are_to_blame_themselves_pause_nothing()
    {
        var hand = Start(options => options.Retry.On<InvalidOperationException>(rule => rule.DeadLetterReason = "bad_order"));

        Send(40);
        hand.Run(5);

        Assert.Equal((0, 40), (hand.Counts.Waiting, hand.Counts.Dead));
    }

    [Fact]
    public void Unless_it_is_asked_for_nothing_pauses()
    {
        var hand = Start(options => options.Breaker.FailureRatio = 0);

        Send(40);
        hand.Run(5);

        Assert.Equal(0, hand.Counts.Waiting);
    }

    [Fact]
    public void A_log_that_blocks_while_it_pauses_or_resumes_keeps_nobody_from_looking_for_room()
    {
        var log = new Blocking(() => _hand!.Queue.Admission.Room);
        var hand = Start(log: log);
        Send(40);
        hand.Run(5);
        _fails = _ => false;
        hand.Run(10);

        Assert.Equal([("ReceivingPaused", true), ("ReceivingResumed", true)], log.Looked);
    }

    private static Settlement Answer(SettlementKind kind) => kind == SettlementKind.Delay ? Settlement.Delay(TimeSpan.FromHours(1)) : Settlement.Abandon;

    private void Send(int count) => _hand!.Send([.. Enumerable.Range(0, count).Select(n => $"{n}")]);

    private EngineByHand Start(Action<QueueOptions>? configure = null, ILogger? log = null)
    {
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                _runs.Add((message.Id, _hand!.Now));
                try
                {
                    await _hand.Nap(message.Id == "slow" ? 7 : _handling, cancel);
                }
                catch (OperationCanceledException) when (_heedsByAnswering)
                {
                }

                return _fails(message) ? throw new InvalidOperationException("No luck.") : _answer;
            },
            options =>
            {
                options.Breaker = new()
                {
                    FailureRatio = 0.5,
                    MinimumHandled = 5,
                    Window = TimeSpan.FromSeconds(20),
                    Pause = TimeSpan.FromSeconds(10),
                    MaxPause = TimeSpan.FromSeconds(25),
                };
                options.Retry.Delay = options.Retry.MaxDelay = TimeSpan.FromHours(1);
                configure?.Invoke(options);
            },
            log: log);
        return _hand.Start();
    }

    // Does what the lease thread does, and lets nobody go on until that is done, or clearly never will be.
    private sealed class Blocking(Func<int> look) : ILogger
    {
        private static readonly TimeSpan s_clearlyNever = TimeSpan.FromSeconds(30);

        public List<(string? What, bool HasLooked)> Looked { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (eventId.Name?.StartsWith("Receiving", StringComparison.Ordinal) != true)
                return;

            var other = new Thread(() => look()) { IsBackground = true };
            other.Start();
            Looked.Add((eventId.Name, other.Join(s_clearlyNever)));
        }
    }
}
