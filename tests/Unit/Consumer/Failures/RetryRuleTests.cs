using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class RetryRuleTests : IDisposable
{
    private readonly List<(int Delivery, int Attempt, double At)> _runs = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void Each_type_of_failure_has_its_own_retries_and_delays()
    {
        var hand = Start(new TimeoutException(), retry =>
        {
            retry.Immediate = 5;
            retry.On<TimeoutException>(rule => (rule.Immediate, rule.Delay, rule.MaxDelay, rule.MaxDeliveries) = (1, TimeSpan.FromSeconds(30), TimeSpan.FromSeconds(40), 3));
        });

        hand.Run(100);

        Assert.Equal([(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)], _runs.Select(run => (run.Delivery, run.Attempt)));
        Assert.InRange(_runs[2].At - _runs[1].At, 30, 30.001);
        Assert.InRange(_runs[4].At - _runs[3].At, 40, 40.001);
        Assert.Equal("handler_failed", Reason());
    }

    [Fact]
    public void A_failure_that_no_rule_is_about_is_treated_as_all()
    {
        var hand = Start(new InvalidOperationException(), retry => retry.On<TimeoutException>(rule => rule.Immediate = 5));

        hand.Run(1);

        Assert.Single(_runs);
        Assert.Equal(["a Delay"], hand.Spy.Settled);
    }

    [Fact]
    public void The_rule_of_the_most_derived_type_counts()
    {
        var hand = Start(new FileNotFoundException(), retry => retry
            .On<FileNotFoundException>(rule => rule.DeadLetterReason = "no_file")
            .On<IOException>(rule => rule.Immediate = 5)
            .On<Exception>(rule => rule.Immediate = 7));

        hand.Run(1);

        Assert.Single(_runs);
        Assert.Equal("no_file", Reason());
    }

    [Fact]
    public void A_rule_counts_for_the_types_that_derive_from_its_own()
    {
        var hand = Start(new FileNotFoundException(), retry => retry.On<IOException>(rule => rule.Immediate = 1).On<Exception>(rule => rule.Immediate = 7));

        hand.Run(3);

        Assert.Equal(2, _runs.Count);
    }

    [Fact]
    public void What_came_wrapped_because_it_was_waited_for_in_place_has_its_own_rule()
    {
        var options = new RetryOptions().On<IOException>(rule => rule.Immediate = 1).On<Exception>(rule => rule.Immediate = 7);

        Assert.Equal(1, options.TermsFor(new AggregateException(new TimeoutException(), new AggregateException(new FileNotFoundException()))).Immediate);
        Assert.Equal(7, options.TermsFor(new AggregateException(new TimeoutException())).Immediate);
        Assert.True(options.TermsFor(new AggregateException(new UnreadableMessageException("It is empty."))).IsHopeless);

        options.On<AggregateException>(rule => rule.Immediate = 3);
        Assert.Equal(3, options.TermsFor(new AggregateException(new FileNotFoundException())).Immediate);
    }

    [Fact]
    public void What_is_said_of_a_type_twice_is_said_of_one_rule()
    {
        var options = new RetryOptions().On<IOException>(rule => rule.Immediate = 1).On<IOException>(rule => rule.MaxDeliveries = 4);

        var terms = options.TermsFor(new IOException());

        Assert.Equal((1, 4), (terms.Immediate, terms.MaxDeliveries));
    }

    [Fact]
    public void A_message_is_not_put_aside_unseen_while_a_rule_still_allows_it()
    {
        var hand = Start(new TimeoutException(), retry => retry.On<TimeoutException>(rule => (rule.MaxDeliveries, rule.MaxDelay) = (12, TimeSpan.FromSeconds(5))));

        hand.Run(100);

        Assert.Equal(12, _runs.Count);
        Assert.Equal("handler_failed", Reason());
    }

    [Theory]
    [InlineData(0, 0.0, 75)]
    [InlineData(0, 1.0, 125)]
    [InlineData(3, 0.5, 800)]
    public void Waits_double_and_are_up_to_a_quarter_longer_or_shorter(int retry, double random, int milliseconds) =>
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), new RetryOptions { Immediate = 9 }.Terms.WaitBefore(retry, random));

    [Fact]
    public void All_waits_together_are_at_most_as_long_as_the_sum_says() =>
        Assert.Equal(TimeSpan.FromMilliseconds(125 + 250 + 500), new RetryOptions { Immediate = 3 }.Terms.LongestWaits());

    [Fact]
    public void In_a_flood_of_failures_a_fiftieth_of_the_slots_waits_for_retries_and_the_others_messages_wait_at_the_broker()
    {
        _hand = new EngineByHand(
            (_, _) => throw new InvalidOperationException(),
            options => (options.MaxConcurrency, options.Retry.Immediate, options.Retry.ImmediateDelay) = (100, 2, TimeSpan.FromSeconds(1))).Start();

        _hand.Send([.. Enumerable.Range(0, 100).Select(n => $"{n}")]);
        _hand.Run(0.1);

        Assert.Equal((2, 98), (_hand.Queue.Admission.Used, _hand.Counts.Delayed));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("customer")]
    public void A_failure_that_would_be_the_last_is_tried_again_however_many_wait_for_that(string? orderBy)
    {
        _hand = new EngineByHand(
            (_, _) => _hand!.Now < 1 ? throw new InvalidOperationException() : new(Settlement.Complete),
            options =>
            {
                (options.MaxConcurrency, options.OrderBy, options.Retry.Immediate) = (100, orderBy, 10);
                options.Retry.On<Exception>(rule => rule.MaxDeliveries = 1);
            }).Start();

        for (var n = 0; n < 80; n++)
            _hand.Send(new Message { Id = $"{n}", Properties = new Dictionary<string, object?> { ["customer"] = n % 40 } });
        _hand.Run(5);

        Assert.Equal((0, 80), (_hand.Counts.Dead, _hand.Status.Queues[0].Completed));
    }

    [Fact]
    public void A_slot_waits_for_a_retry_until_the_handler_runs_again()
    {
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                await _hand!.Nap(message.Attempt == 1 ? 0 : 5, cancel);
                throw new InvalidOperationException();
            },
            options => (options.Retry.Immediate, options.Retry.ImmediateDelay) = (1, TimeSpan.FromSeconds(1))).Start();

        _hand.Send("a");
        _hand.Run(0.1);
        Assert.False(_hand.Queue.Admission.MayRest);
        _hand.Run(2);

        Assert.Equal(1, _hand.Queue.Admission.Used);
        Assert.True(_hand.Queue.Admission.MayRest);
    }

    [Fact]
    public void With_a_rule_that_allows_one_failure_a_message_that_was_only_given_back_before_has_its_try()
    {
        _hand = new EngineByHand(
            (message, _) => message.DeliveryCount < 4 ? new(Settlement.Abandon) : throw new InvalidOperationException(),
            options => (options.Retry.Immediate, options.Retry.MaxDeliveries, _) = (1, 20, options.Retry.On<Exception>(rule => rule.MaxDeliveries = 1))).Start();

        _hand.Send("a");
        _hand.Run(5);

        var dead = _hand.DeadLetter("a").Properties;
        Assert.Equal(("handler_failed", 4), (dead[DeadLetterProperties.Reason], dead[DeadLetterProperties.Deliveries]));
        Assert.Equal(1, _hand.Queue.Meter.Retries);
    }

    [Fact]
    public void A_message_at_rest_counts_once_however_often_it_is_woken()
    {
        var admission = new Admission(new QueueOptions { MaxConcurrency = 100, Admission = AdmissionMode.Fixed }, threads: 1);
        var (one, other) = (new HeldMessage("orders", new Message { Id = "a" }), new HeldMessage("orders", new Message { Id = "b" }));

        admission.Rest(one);
        Assert.True(admission.MayRest);
        admission.Rest(other);
        Assert.False(admission.MayRest);
        admission.Wake(one);
        admission.Wake(one);
        admission.Rest(one);

        Assert.False(admission.MayRest);
    }

    private EngineByHand Start(Exception failure, Action<RetryOptions> configure)
    {
        _hand = new EngineByHand(
            (message, _) =>
            {
                _runs.Add((message.DeliveryCount, message.Attempt, _hand!.Now));
                throw failure;
            },
            options => configure(options.Retry));
        _hand.Send("a");
        return _hand.Start();
    }

    private object? Reason() => _hand!.DeadLetter("a").Properties[DeadLetterProperties.Reason];
}
