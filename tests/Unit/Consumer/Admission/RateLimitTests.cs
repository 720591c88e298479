using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class RateLimitTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public void At_first_there_is_a_burst_and_then_what_time_brings()
    {
        var rate = Rate(new() { PerSecond = 20, Burst = 3 });

        Assert.Equal(3, Take(rate));
        Assert.Equal(0, rate.Room);
        _time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(2, Take(rate));
    }

    [Fact]
    public void A_long_rest_saves_up_no_more_than_a_burst()
    {
        var rate = Rate(new() { PerSecond = 20, Burst = 3 });
        Take(rate);

        _time.Advance(TimeSpan.FromHours(1) + TimeSpan.FromMilliseconds(40));

        Assert.Equal(3, Take(rate));
        Assert.Equal(0, rate.Room);
    }

    [Fact]
    public void What_begins_after_a_long_rest_counts_although_nobody_has_looked_for_room()
    {
        var rate = Rate(new() { PerSecond = 20, Burst = 3 });

        _time.Advance(TimeSpan.FromHours(1));
        rate.Enter();

        Assert.Equal(2, rate.Room);
    }

    [Theory]
    [InlineData(100, 25)]
    [InlineData(3, 1)]
    [InlineData(0.1, 1)]
    public void A_burst_that_is_not_set_is_that_of_a_quarter_of_a_second(double perSecond, int burst) =>
        Assert.Equal(burst, Rate(new() { PerSecond = perSecond }).Room);

    [Fact]
    public void A_fraction_is_a_message_every_so_many_seconds()
    {
        var rate = Rate(new() { PerSecond = 0.1 });
        Take(rate);

        _time.Advance(TimeSpan.FromSeconds(9.9));
        Assert.Equal(0, rate.Room);
        _time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.Equal(1, rate.Room);
    }

    [Theory]
    [InlineData(0.5, null)]
    [InlineData(3, null)]
    [InlineData(4, null)]
    [InlineData(7, null)]
    [InlineData(9, 1)]
    [InlineData(100, null)]
    public void As_many_messages_begin_as_may_and_none_waits_under_lease(double perSecond, int? burst)
    {
        using var hand = new EngineByHand((_, _) => new(Settlement.Complete), options => (options.RateLimit.PerSecond, options.RateLimit.Burst) = (perSecond, burst));
        hand.Send([.. Enumerable.Range(0, 5000).Select(n => $"{n}")]);
        hand.Start();

        hand.Run(20);

        var most = (20 * perSecond) + (burst ?? Math.Max(1, Math.Ceiling(perSecond / 4)));
        Assert.InRange(hand.Spy.Received, 0.97 * 20 * perSecond, most);
        Assert.Equal(hand.Spy.Received, hand.Status.Queues[0].Completed);
        Assert.Equal(("as many messages have begun as RateLimit__PerSecond allows", "rate"), (hand.Status.Queues[0].Holding, hand.Status.Queues[0].HoldingReason));
    }

    [Fact]
    public void The_limit_does_not_grow_while_the_rate_keeps_messages_out()
    {
        using var hand = new EngineByHand(
            (_, _) => new(Settlement.Complete),
            options => (options.Admission, options.MaxConcurrency, options.RateLimit) = (AdmissionMode.Adaptive, 256, new() { PerSecond = 20, Burst = 2 }));
        hand.Send([.. Enumerable.Range(0, 1000).Select(n => $"{n}")]);
        var limit = hand.Queue.Admission.Limit;
        hand.Start();

        hand.Run(20);

        Assert.Equal(limit, hand.Queue.Admission.Limit);
    }

    private RateLimit Rate(RateLimitOptions options) => new(options, new Clock(_time));

    private static int Take(RateLimit rate)
    {
        var room = rate.Room;
        for (var i = 0; i < room; i++)
            rate.Enter();
        return room;
    }
}
