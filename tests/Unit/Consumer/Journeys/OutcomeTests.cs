using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class OutcomeTests : IDisposable
{
    private readonly List<(string Id, int Attempt, double At)> _runs = [];
    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _handle = (_, _) => new(Settlement.Complete);
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_message_whose_handler_returns_is_completed()
    {
        var hand = Start();

        hand.Send("a", "b");
        hand.Run(0);

        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
        Assert.Equal(2, hand.Status.Queues[0].Completed);
        Assert.Equal((0, 0, 0L), (hand.Keeper.Held, hand.Queue.Admission.Used, hand.Status.Queues[0].Misses));
        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 0, 0), hand.Counts);
    }

    [Fact]
    public void A_handler_that_says_nothing_has_failed_and_its_message_is_not_completed()
    {
        _handle = (message, _) => message.DeliveryCount > 1 ? new(Settlement.Complete) : default;
        var hand = Start();

        hand.Send("a");
        hand.Run(60);

        Assert.Equal(["a Delay", "a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void Each_settlement_is_carried_out()
    {
        _handle = (message, _) => new(message.DeliveryCount > 1 ? Settlement.Complete : message.Id switch
        {
            "abandon" => Settlement.Abandon,
            "delay" => Settlement.Delay(TimeSpan.FromSeconds(60)),
            "dead" => Settlement.DeadLetter("odd", "An odd message."),
            _ => Settlement.Complete,
        });
        var hand = Start();

        hand.Send("complete", "abandon", "delay", "dead");
        hand.Run(1);

        var status = hand.Status.Queues[0];
        Assert.Equal((2, 1, 1, 1), (status.Completed, status.Abandoned, status.Delayed, status.DeadLettered));
        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 1, 1), hand.Counts);
        Assert.Equal(("odd", "An odd message."), DeadLetter());

        hand.Run(60);
        Assert.Equal(0, hand.Counts.Delayed);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_failure_is_tried_again_at_once_then_delayed_ever_longer_then_put_aside_with_its_reason()
    {
        _handle = (_, _) => throw new InvalidOperationException("No luck.");
        var hand = Start(options =>
        {
            options.Retry.Immediate = 2;
            options.Retry.MaxDeliveries = 3;
        });

        hand.Send("a");
        hand.Run(60);

        Assert.Equal([1, 2, 3, 1, 2, 3, 1, 2, 3], _runs.Select(run => run.Attempt));
        Assert.InRange(_runs[3].At - _runs[2].At, 5, 5.001);
        Assert.InRange(_runs[6].At - _runs[5].At, 10, 10.001);
        Assert.Equal(["a Delay", "a Delay", "a DeadLetter"], hand.Spy.Settled);
        Assert.Equal(("handler_failed", "InvalidOperationException: No luck. (delivery 3 of 3, attempt 3)"), DeadLetter());
    }

    [Fact]
    public void An_immediate_retry_goes_on_in_its_lane()
    {
        List<TaskScheduler> schedulers = [];
        _handle = async (message, _) =>
        {
            schedulers.Add(TaskScheduler.Current);
            await _hand!.Sleep(0.01);
            schedulers.Add(TaskScheduler.Current);
            return message.Attempt < 3 ? throw new InvalidOperationException() : Settlement.Complete;
        };
        var hand = Start(options => options.Retry.Immediate = 2);

        hand.Send("a");
        hand.Run(2);

        Assert.Equal(6, schedulers.Count);
        Assert.Single(schedulers.Distinct());
        Assert.IsType<Holdfast.Scheduling.Strand>(schedulers[0]);
    }

    [Fact]
    public void There_is_no_immediate_retry_that_the_lease_might_not_outlast()
    {
        _handle = (_, _) => throw new InvalidOperationException();
        var hand = Start(options => (options.Retry.Immediate, options.Retry.ImmediateDelay) = (2, TimeSpan.FromSeconds(8)));

        hand.Send("a");
        hand.Run(4);

        Assert.Single(_runs);
        Assert.Equal(["a Delay"], hand.Spy.Settled);
    }

    [Theory]
    [InlineData("throws")]
    [InlineData("faulted")]
    [InlineData("its own cancellation")]
    public void However_a_handler_fails_its_message_is_delayed(string how)
    {
        _handle = (_, _) => how switch
        {
            "throws" => throw new InvalidOperationException(),
            "faulted" => ValueTask.FromException<Settlement>(new InvalidOperationException()),
            _ => ValueTask.FromCanceled<Settlement>(new CancellationToken(canceled: true)),
        };
        var hand = Start();

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(["a Delay"], hand.Spy.Settled);
        Assert.Equal(0, hand.Queue.Admission.Used);
    }

    [Fact]
    public void A_body_that_cannot_be_read_is_put_aside_without_another_try()
    {
        _handle = (_, _) => throw new UnreadableMessageException("It is empty.");
        var hand = Start(options => options.Retry.Immediate = 2);

        hand.Send("a");
        hand.Run(1);

        Assert.Single(_runs);
        Assert.Equal("unreadable", DeadLetter().Reason);
    }

    [Fact]
    public void JSON_that_a_handler_can_not_read_elsewhere_is_a_failure_like_others()
    {
        _handle = (_, _) => _runs.Count == 1 ? throw new JsonException("The price list is broken.") : new(Settlement.Complete);
        var hand = Start(options => options.Retry.Immediate = 2);

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void A_failure_that_can_not_even_be_read_is_one_like_others()
    {
        _handle = (_, _) => throw new UnreadableFailure();
        var hand = Start(options => options.Retry.MaxDeliveries = 2);

        hand.Send("a");
        hand.Run(60);

        Assert.Equal(["a Delay", "a DeadLetter"], hand.Spy.Settled);
        Assert.Equal(0, hand.Queue.Admission.Used);
        Assert.Equal("UnreadableFailure: (can't be read: TimeoutException) (delivery 2 of 2, attempt 1)", DeadLetter().Description);
    }

    [Fact]
    public void What_breaks_around_a_handler_costs_neither_its_slot_nor_its_message()
    {
        var log = new FailingOnce();
        using var hand = new EngineByHand((message, _) => message.DeliveryCount == 1 ? throw new InvalidOperationException("No luck.") : new(Settlement.Complete), log: log);
        hand.Start();

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(["a Abandon", "a Complete"], hand.Spy.Settled);
        Assert.Equal((0, 0), (hand.Queue.Admission.Used, hand.Keeper.Held));
        Assert.IsType<IOException>(Assert.Single(log.Exceptions));
    }

    [Fact]
    public void What_breaks_around_a_settlement_ends_its_lease()
    {
        var log = new FailingOnce();
        using var hand = new EngineByHand((_, _) => new(Settlement.Complete), log: log);
        hand.Start();
        hand.Faults.Settlements.Fail(1, isTransient: false);

        hand.Send("a");
        hand.Run(0.1);

        Assert.Equal((0, 0, 1), (hand.Queue.Admission.Used, hand.Keeper.Held, hand.Misses(MissReason.Connection)));
        Assert.Single(hand.Spy.LetGo);
        Assert.IsType<IOException>(log.Exceptions[0]);
    }

    [Fact]
    public void That_a_message_is_put_aside_is_told_once_it_is()
    {
        var log = new Lines();
        using var hand = new EngineByHand((_, _) => new(Settlement.DeadLetter("odd", "An odd message.")), log: log);
        hand.Start();
        hand.Faults.Settlements.Fail(1, isTransient: false);

        hand.Send("a");
        hand.Run(1);
        Assert.DoesNotContain(log, line => line.Contains("An odd message.", StringComparison.Ordinal));
        hand.Run(10);

        Assert.Equal(["a DeadLetter"], hand.Spy.Settled);
        Assert.Single(log, line => line.Contains("An odd message.", StringComparison.Ordinal));
    }

    [Fact]
    public void A_broker_may_let_us_hold_a_message_for_ever()
    {
        using var hand = new EngineByHand(
            (_, _) => new(Settlement.Complete),
            configureBroker: broker => broker.LockDuration = TimeSpan.MaxValue);
        hand.Start();
        hand.Run(1);

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        var lease = new LeaseTerms(TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(1), RenewAfter: 0.5);
        Assert.Equal(TimeSpan.MaxValue, lease.Limit(arrived: TimeSpan.FromSeconds(1), TimeSpan.MaxValue));
    }

    [Fact]
    public void A_message_delivered_too_often_is_put_aside_unseen()
    {
        _handle = (_, _) => new(Settlement.Abandon);
        var hand = Start(options => options.Retry.MaxDeliveries = 3);

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(3, _runs.Count);
        Assert.Equal("max_deliveries", DeadLetter().Reason);
    }

    private EngineByHand Start(Action<QueueOptions>? configure = null)
    {
        _hand = new EngineByHand(
            (message, cancel) =>
            {
                _runs.Add((message.Id, message.Attempt, _hand!.Now));
                return _handle(message, cancel);
            },
            configure);
        return _hand.Start();
    }

    private (string? Reason, string? Description) DeadLetter()
    {
        var properties = _hand!.Take(DeadLetters.QueueOf("orders")).Properties;
        return ((string?)properties[DeadLetterProperties.Reason], (string?)properties[DeadLetterProperties.Description]);
    }

    /// <summary>A log that fails at its first line, and keeps what is told with the others.</summary>
    private sealed class FailingOnce : ILogger
    {
        private bool _hasFailed;

        public List<Exception?> Exceptions { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel > LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!_hasFailed)
            {
                _hasFailed = true;
                throw new IOException("No space left on device.");
            }

            Exceptions.Add(exception);
        }
    }
}
