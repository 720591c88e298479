using Holdfast.Broker;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class BreakerTests : IDisposable
{
    private readonly FailingQueue _queue = new();

    public void Dispose() => _queue.Dispose();

    [Fact]
    public void Receiving_pauses_when_too_many_handlers_fail_and_the_reason_is_shown()
    {
        var hand = _queue.Start();

        _queue.Send(40);
        hand.Run(5);

        // Two rounds of four come to the five that must have been handled at least.
        Assert.Equal((8, 32), (_queue.Runs.Count, hand.Counts.Waiting));
        Assert.Equal(0, hand.Keeper.Held);
        Assert.Equal("too many handlers have failed (Breaker__FailureRatio)", _queue.Holding);
    }

    [Fact]
    public void What_is_in_hand_when_receiving_pauses_is_kept_and_handled_to_its_end()
    {
        _queue.Fails = message => message.Id != "slow";
        var hand = _queue.Start();
        hand.Send("slow");
        _queue.Send(40);

        hand.Run(5);
        Assert.NotNull(_queue.Holding);
        Assert.Equal(1, hand.Keeper.Held);
        hand.Run(3);

        Assert.Contains("slow Complete", hand.Spy.Settled);
        Assert.NotNull(_queue.Holding);
    }

    [Theory]
    [MemberData(nameof(FailingQueue.WaysToPutOff), MemberType = typeof(FailingQueue))]
    public void What_is_put_off_is_neither_a_failure_nor_handled(SettlementKind kind)
    {
        (_queue.Fails, _queue.Answer) = (message => int.Parse(message.Id) % 3 == 0, FailingQueue.PuttingOff(kind));
        var hand = _queue.Start(options => options.MaxConcurrency = 1);

        _queue.Send(12);
        hand.Run(2);
        Assert.Null(_queue.Holding);
        _queue.Send(1);
        hand.Run(2);

        // Four that failed are too few to count; five of five are all.
        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void Only_a_failure_pauses_however_many_have_failed_before()
    {
        _queue.Fails = message => message.Id != "4";
        var hand = _queue.Start(options => options.MaxConcurrency = 1);

        _queue.Send(5);
        hand.Run(1);
        Assert.Null(_queue.Holding);
        _queue.Send(1);
        hand.Run(1);

        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void The_limit_does_not_grow_while_receiving_pauses()
    {
        var hand = _queue.Start(options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Adaptive, 256));
        _queue.Send(400);
        hand.Run(1);
        Assert.NotNull(_queue.Holding);
        var limit = hand.Queue.Admission.Limit;

        hand.Run(8);

        Assert.NotNull(_queue.Holding);
        Assert.Equal(limit, hand.Queue.Admission.Limit);
    }

    [Fact]
    public void Fewer_failures_than_the_ratio_pause_nothing()
    {
        _queue.Fails = message => int.Parse(message.Id) % 3 == 0;
        var hand = _queue.Start();

        _queue.Send(40);
        hand.Run(5);

        Assert.Equal(0, hand.Counts.Waiting);
    }

    [Fact]
    public void Where_all_must_fail_receiving_pauses_when_all_do()
    {
        var hand = _queue.Start(options => options.Breaker.FailureRatio = 1);

        _queue.Send(40);
        hand.Run(5);

        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void Failures_count_for_as_long_as_the_window()
    {
        var hand = _queue.Start();
        _queue.Send(4);

        hand.Run(19.5);
        Assert.Null(_queue.Holding);
        _queue.Send(1);
        hand.Run(0.4);

        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void Failures_long_ago_are_forgotten()
    {
        var hand = _queue.Start();

        for (var n = 0; n < 12; n++)
        {
            hand.Send($"{n}");
            hand.Run(6);
        }

        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void Failures_of_what_was_in_hand_before_receiving_resumed_pause_nothing()
    {
        var hand = _queue.Start(options => options.MaxConcurrency = 16);
        _queue.Handling = 12;
        hand.Send([.. Enumerable.Range(0, 8).Select(n => $"long {n}")]);
        hand.Run(0);
        _queue.Handling = 0.01;
        _queue.Send(12);
        hand.Run(5);
        Assert.NotNull(_queue.Holding);

        // The probe ends the pause before those fail that began before it.
        _queue.Fails = message => message.Id.StartsWith("long", StringComparison.Ordinal);
        hand.Run(6);
        Assert.Equal((8, 0), (hand.Keeper.Held, hand.Counts.Waiting));
        hand.Run(2);

        Assert.Equal(0, hand.Keeper.Held);
        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void Messages_that_are_to_blame_themselves_pause_nothing()
    {
        var hand = _queue.Start(options => options.Retry.On<InvalidOperationException>(rule => rule.DeadLetterReason = "bad_order"));

        _queue.Send(40);
        hand.Run(5);

        Assert.Equal((0, 40), (hand.Counts.Waiting, hand.Counts.Dead));
    }

    [Fact]
    public void Unless_it_is_asked_for_nothing_pauses()
    {
        var hand = _queue.Start(options => options.Breaker.FailureRatio = 0);

        _queue.Send(40);
        hand.Run(5);

        Assert.Equal(0, hand.Counts.Waiting);
    }

    [Fact]
    public void A_log_that_blocks_while_it_pauses_or_resumes_keeps_nobody_from_looking_for_room()
    {
        var log = new Blocking(() => _queue.Room);
        var hand = _queue.Start(log: log);
        _queue.Send(40);
        hand.Run(5);
        _queue.Fails = _ => false;
        hand.Run(10);

        Assert.Equal([("ReceivingPaused", true), ("ReceivingResumed", true)], log.Looked);
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
