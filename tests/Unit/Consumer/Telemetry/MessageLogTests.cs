using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Tests.Unit.InMemory;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class MessageLogTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly Lines _lines = new() { Least = LogLevel.Information };
    private readonly MessageLog _log;

    public MessageLogTests() => _log = new("orders", _time, _lines);

    public void Dispose() => _log.Dispose();

    [Fact]
    public void A_few_failures_are_all_logged_and_nothing_is_said_of_more()
    {
        Fail(20);
        _time.Advance(TimeSpan.FromSeconds(60));

        Assert.Equal(20, _lines.Count);
        Assert.Equal("Message 7 of orders: attempt 1 of delivery 1 failed with InvalidOperationException: No luck.; delay.", _lines[7]);
    }

    [Fact]
    public void Where_a_handler_failed_is_logged_for_who_asks_and_of_a_flood_as_often_as_the_failure_itself()
    {
        _lines.Least = LogLevel.Debug;
        var thrown = Assert.Throws<InvalidOperationException>((Action)(() => throw new InvalidOperationException("No luck.")));

        for (var n = 0; n < 10_000; n++)
            _log.Failed(new HeldMessage("orders", new Message { Id = $"{n}" }), thrown, "delay");

        Assert.Equal(40, _lines.Count);
        Assert.StartsWith("Message 0 of orders: attempt 1 of delivery 1 failed here:\n   at ", _lines[1]);
        Assert.Contains(nameof(Where_a_handler_failed_is_logged_for_who_asks_and_of_a_flood_as_often_as_the_failure_itself), _lines[1]);
    }

    [Fact]
    public void Of_a_flood_the_first_are_logged_and_the_others_counted_soon_though_no_more_come()
    {
        Fail(10_000);
        Assert.Equal(20, _lines.Count);

        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(21, _lines.Count);
        Assert.StartsWith("9980 more failed messages of orders are not listed here", _lines[20]);
    }

    [Fact]
    public void After_a_flood_single_failures_are_logged_again()
    {
        Fail(100);
        _time.Advance(TimeSpan.FromSeconds(10));

        Fail(1);

        Assert.Equal(22, _lines.Count);
    }

    [Fact]
    public void The_end_of_the_log_leaves_no_failure_uncounted_and_no_timer_behind()
    {
        Fail(100);

        _log.Dispose();
        Fail(1);

        Assert.StartsWith("80 more failed messages", _lines[20]);
        Assert.StartsWith("Message 0 of orders", _lines[21]);
        Assert.Null(_time.UntilNextTimer);
    }

    [Fact]
    public void What_a_handler_puts_aside_is_logged_with_its_reason()
    {
        _log.PutAside(new HeldMessage("orders", new Message { Id = "a" }), Settlement.DeadLetter("http_404", "There is no such order."));

        Assert.Equal(["Message a of orders: delivery 1 is put aside (http_404): There is no such order."], _lines);
    }

    [Fact]
    public void A_flood_of_one_kind_leaves_the_others_their_lines()
    {
        Fail(100);
        for (var n = 0; n < 510; n++)
        {
            _log.Missed(new(default, "orders", $"{n}", 1, "connection", TimeSpan.FromSeconds(3), null), n < 450 ? null : "rabbit:5672 broke off (maintenance).");
            _log.SettlingFailed($"{n}", "The connection ended.");
            _log.HandledBefore($"{n}");
        }

        Assert.Equal(1_520, _lines.Count);
        Assert.Contains("Lease missed (connection): message 499 of orders, held for 3.0 s. rabbit:5672 broke off (maintenance). If its handler runs, it was told; the broker delivers it again if it still has it. Trace: none.", _lines);

        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(
            [
                "10 more messages of orders, all within 10 s, were handled before and settled without running again; they are not listed here.",
                "10 more missed leases of orders are not listed here: too many were missed within 10 s, the last for connection. Metrics count them all.",
                "80 more failed messages of orders are not listed here: too many failed within 10 s, the last with InvalidOperationException. Metrics count them all, and each message carries its history.",
                "Settling 10 more messages of orders failed within 10 s; they are not listed here. The last: The connection ended.",
            ],
            _lines.Skip(1_520).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void That_renewals_are_not_answered_keeps_nobody_from_hearing_why()
    {
        _log.RenewalUnanswered(3);
        _log.RenewalUnanswered(3);
        _log.RenewalFailed(3, "The connection broke.");

        Assert.Equal(
            [
                "Renewing 3 leases of orders failed: No answer so far. They are asked for again while they are trusted.",
                "Renewing 3 leases of orders failed: The connection broke. They are asked for again while they are trusted.",
            ],
            _lines);
    }

    [Fact]
    public void Renewals_that_are_answered_late_one_after_another_are_told_once_and_of_the_others_how_many()
    {
        for (var n = 0; n < 5; n++)
            _log.RenewalUnanswered(3);
        _time.Advance(TimeSpan.FromSeconds(10));
        _log.RenewalFailed(1, "The server is busy.");

        Assert.Equal(
            [
                "Renewing 3 leases of orders failed: No answer so far. They are asked for again while they are trusted.",
                "Renewing leases of orders failed 4 more times within 10 s, and went well in between. The last time: No answer so far.",
                "Renewing 1 leases of orders failed: The server is busy. They are asked for again while they are trusted.",
            ],
            _lines);
    }

    [Fact]
    public void That_messages_can_t_wait_at_the_broker_is_told_once_and_of_the_others_how_many()
    {
        for (var n = 0; n < 5; n++)
            _log.NotDelayed($"{n}", "It is full.");
        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal(
            [
                "Message 0 of orders was to wait at the broker, and was given back at once instead: It is full.",
                "4 more messages of orders, all within 10 s, were to wait at the broker and were given back at once instead. The last: It is full.",
            ],
            _lines);
    }

    [Fact]
    public void The_engine_logs_what_fails_and_what_handlers_put_aside_once()
    {
        using var hand = new EngineByHand(
            (message, _) => message.Id == "a" ? new(Settlement.DeadLetter("odd", "An odd message.")) : throw new TimeoutException("Too slow."),
            options => options.Retry.MaxDeliveries = 1,
            log: _lines);

        hand.Send("a", "b");
        hand.Start().Run(1);

        Assert.Equal(
            [
                "Broker reached: consuming orders.",
                "Message a of orders: delivery 1 is put aside (odd): An odd message.",
                "Message b of orders: attempt 1 of delivery 1 failed with TimeoutException: Too slow.; dead_letter.",
            ],
            _lines.Order());
    }

    [Fact]
    public void A_settlement_that_fails_in_a_way_that_can_not_even_be_read_is_told_as_one_like_others()
    {
        using var hand = new EngineByHand(
            (_, _) => new(Settlement.Delay(TimeSpan.FromHours(1)).With(new LiveProperties { Failure = new UnreadableFailure() })),
            log: _lines);

        hand.Send("a");
        hand.Start().Run(1);

        Assert.Contains("Settling message a of orders failed: (can't be read: TimeoutException)", _lines);
        Assert.Equal((1, 0), (hand.Misses(MissReason.Connection), hand.Queue.Admission.Used));
    }

    [Fact]
    public void Of_many_long_turns_the_first_are_logged_and_all_are_counted()
    {
        using var meter = new HoldfastMeter();
        using var reporter = new LaneReporter(meter, _time, _lines);
        for (var n = 0; n < 300; n++)
            reporter.FoundLong(new($"{n}", Lane.Process, "holdfast-worker-1", TimeSpan.FromSeconds(5)));

        _time.Advance(TimeSpan.FromSeconds(10));

        Assert.Equal((300, 21), (reporter.LongTurns(Lane.Process), _lines.Count));
        Assert.Equal("280 more turns that held their threads for long are not listed here: too many within 10 s, the last of message 299. Metrics count them all.", _lines[20]);
    }

    [Theory]
    [InlineData(Lane.Process, "message m-1", "let the handler await now and then")]
    [InlineData(Lane.Receive, "the Receive lane", "no handler runs there, so CPU or memory may be short")]
    public void Turns_are_told_of_by_their_message_or_where_they_have_none_by_their_lane(Lane lane, string whose, string advice)
    {
        _lines.Least = LogLevel.Debug;
        using var meter = new HoldfastMeter();
        using var reporter = new LaneReporter(meter, _time, _lines);
        var turn = new TurnReport(lane == Lane.Process ? "m-1" : $"{lane}", lane, "holdfast-worker-1", TimeSpan.FromSeconds(5));

        reporter.FoundLong(turn);
        reporter.FoundBlocked(turn, StandIn.Found);
        reporter.FoundBlocked(turn, StandIn.LimitReached);
        reporter.FoundBlocked(turn, StandIn.Refused);

        Assert.Equal(
            [
                $"A turn of {whose} has held thread holdfast-worker-1 for 5.0 s. Leases are kept, but what ranks behind it waits: {advice}.",
                $"A turn of {whose} blocks thread holdfast-worker-1; a spare one stands in.",
                $"A turn of {whose} blocks thread holdfast-worker-1, and no spare one may stand in (MaxSpareThreads). Leases are kept, but handlers wait.",
                $"A turn of {whose} blocks thread holdfast-worker-1, and no spare one may stand in (the system has no more threads or files for this process). Leases are kept, but handlers wait.",
            ],
            _lines);
    }

    [Theory]
    [InlineData(false, "a paused machine or a stopped process")]
    [InlineData(true, "a garbage collection")]
    public void A_process_that_did_not_run_says_so(bool isCollection, string cause)
    {
        using var meter = new HoldfastMeter();
        using var reporter = new LaneReporter(meter, _time, _lines);

        reporter.FoundStandstill(new(TimeSpan.FromSeconds(45), isCollection));

        Assert.Equal([$"This process did not run for 45.0 s: {cause}. Leases may have ended meanwhile."], _lines);
    }

    private void Fail(int times)
    {
        for (var n = 0; n < times; n++)
            _log.Failed(new HeldMessage("orders", new Message { Id = $"{n}" }), new InvalidOperationException("No luck."), "delay");
    }
}
