using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class FailurePolicyTests
{
    private static readonly Exception s_error = new InvalidOperationException("No luck.");
    private readonly FailurePolicy _policy = new(new RetryOptions { MaxDeliveries = 8, Delay = TimeSpan.FromSeconds(5), MaxDelay = TimeSpan.FromSeconds(60) });

    [Theory]
    [InlineData(1, 5)]
    [InlineData(2, 10)]
    [InlineData(3, 20)]
    [InlineData(4, 40)]
    [InlineData(5, 60)]
    [InlineData(7, 60)]
    public void Each_delivery_is_kept_back_twice_as_long_as_the_one_before_up_to_the_longest(int delivery, int seconds) =>
        Assert.Equal(Settlement.Retry(TimeSpan.FromSeconds(seconds)), _policy.AfterFailure(s_error, Delivered(delivery), 1));

    [Theory]
    [InlineData(7, null, false)]
    [InlineData(null, 70, false)]
    [InlineData(5, 60, true)]
    public void A_delay_that_a_rule_sets_is_not_that_of_the_queue_s_retries(int? delay, int? longest, bool isRetry)
    {
        var options = new RetryOptions { Delay = TimeSpan.FromSeconds(5), MaxDelay = TimeSpan.FromSeconds(60) };
        options.On<InvalidOperationException>(rule => (rule.Delay, rule.MaxDelay) = (Seconds(delay), Seconds(longest)));

        Assert.Equal(isRetry, new FailurePolicy(options).AfterFailure(s_error, Delivered(1), 1).IsRetry);

        static TimeSpan? Seconds(int? seconds) => seconds is { } some ? TimeSpan.FromSeconds(some) : null;
    }

    [Fact]
    public void The_growth_knows_no_overflow() =>
        Assert.Equal(
            TimeSpan.FromMinutes(10),
            new FailurePolicy(new RetryOptions { MaxDeliveries = 1000 }).AfterFailure(s_error, Delivered(999), 1).Wait);

    [Fact]
    public void The_last_delivery_is_put_aside_with_its_error()
    {
        var settlement = _policy.AfterFailure(s_error, Delivered(8), attempts: 3);

        Assert.Equal(Settlement.DeadLetter("handler_failed", "InvalidOperationException: No luck. (delivery 8 of 8, attempt 3)"), settlement);
    }

    [Fact]
    public void What_cannot_be_read_is_put_aside_at_once_and_told_in_short()
    {
        var settlement = _policy.AfterFailure(new UnreadableMessageException(new string('x', 5000)), Delivered(1), 1);

        Assert.Equal((SettlementKind.DeadLetter, "unreadable"), (settlement.Kind, settlement.Reason));
        Assert.InRange(settlement.Description!.Length, 2000, 2100);
    }

    [Fact]
    public void Only_what_came_more_often_than_allowed_is_refused_unseen()
    {
        Assert.Null(_policy.BeforeHandling(Delivered(8)));
        Assert.Equal("max_deliveries", _policy.BeforeHandling(Delivered(9))!.Value.Reason);
    }

    [Fact]
    public void Deliveries_that_a_dead_letter_died_of_do_not_count()
    {
        var letter = new Died { Message = new Message { Id = "a" }, DeliveryCount = 20, EnqueuedAt = default, ArrivedAt = 0, LockDuration = default };

        Assert.Null(_policy.BeforeHandling(letter));
        Assert.Equal(Settlement.Retry(TimeSpan.FromSeconds(5)), _policy.AfterFailure(s_error, letter, 1));
    }

    [Fact]
    public void What_the_client_can_t_read_is_put_aside_unseen() =>
        Assert.Equal(
            Settlement.DeadLetter("unreadable", "Its body can't be read: deep."),
            _policy.BeforeHandling(new Unread { Message = new Message { Id = "a" }, DeliveryCount = 1, EnqueuedAt = default, ArrivedAt = 0, LockDuration = default }));

    [Fact]
    public void At_the_broker_s_limit_a_message_is_given_back_delayed_or_put_aside()
    {
        Assert.Equal(Settlement.Abandon, _policy.AtLimit(Delivered(3)));
        Assert.Equal(Settlement.Retry(TimeSpan.FromSeconds(20)), Policy(AtLimit.Delay).AtLimit(Delivered(3)));
        Assert.Equal(
            Settlement.DeadLetter("held_too_long", "Still being handled when the broker's limit came near: nobody may hold a message for longer than 00:30:00 (delivery 3, Lease__AtLimit)."),
            Policy(AtLimit.DeadLetter).AtLimit(Delivered(3)));
    }

    private static FailurePolicy Policy(AtLimit atLimit) => new(new RetryOptions { Delay = TimeSpan.FromSeconds(5) }, atLimit);

    private static InMemoryDelivery Delivered(int count)
    {
        var stored = new StoredMessage(new Message { Id = "a" }, default) { DeliveryCount = count };
        return new InMemoryDelivery(null!, stored, 0, new InMemoryBrokerOptions { HoldLimit = TimeSpan.FromMinutes(30) });
    }

    private sealed class Died : Delivery
    {
        public override int Tries => 1;
    }

    private sealed class Unread : Delivery
    {
        public override string? Unreadable => "Its body can't be read: deep.";
    }
}
