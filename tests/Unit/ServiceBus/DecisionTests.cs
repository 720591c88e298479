using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class DecisionTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public void The_waits_between_attempts_grow_up_to_a_limit_and_begin_anew_after_a_success()
    {
        var backoff = new Backoff(() => 0);
        var waits = Enumerable.Range(0, 20).Select(_ => backoff.Next().TotalMilliseconds).ToArray();
        Assert.Equal([100, 150, 225], waits[..3]);
        Assert.Equal(waits.Order(), waits);
        Assert.Equal(10_000, waits[^1]);

        backoff.Reset();

        Assert.Equal(100, backoff.Next().TotalMilliseconds);
    }

    [Fact]
    public void No_two_workers_wait_alike() => Assert.Equal(75, new Backoff(() => 1).Next().TotalMilliseconds);

    [Fact]
    public void A_lock_lasts_until_the_broker_says_where_the_clocks_agree() =>
        Assert.Equal(TimeSpan.FromSeconds(30), new BrokerClock(_time).Until(_time.GetUtcNow().AddSeconds(30), _time.GetTimestamp()));

    [Fact]
    public void Where_the_brokers_clock_was_seen_ahead_of_ours_it_counts()
    {
        var clock = new BrokerClock(_time);
        var brokers = _time.GetUtcNow().AddSeconds(20);
        clock.Saw(brokers, _time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(5));
        clock.Saw(brokers.AddHours(-1), _time.GetTimestamp());

        Near(brokers.AddSeconds(5), clock.Now, milliseconds: 1);
        Assert.Equal(30, clock.Until(brokers.AddSeconds(35), _time.GetTimestamp()).TotalSeconds, tolerance: 0.001);
    }

    [Theory]
    [InlineData(-30)]
    [InlineData(0)]
    [InlineData(30)]
    [InlineData(90)]
    public void Where_ours_runs_fast_or_slow_what_was_seen_once_is_not_believed_for_good(int millionths)
    {
        var clock = new BrokerClock(_time);
        var brokers = _time.GetUtcNow().AddSeconds(20);
        for (var minute = 0; minute < 24 * 60; minute++)
        {
            clock.Saw(brokers, _time.GetTimestamp());
            _time.Advance(TimeSpan.FromMinutes(1) * (1 + (millionths * 1e-6)));
            brokers += TimeSpan.FromMinutes(1);
        }

        Near(brokers, clock.Now, milliseconds: 10);
        Assert.Equal(30, clock.Until(brokers.AddSeconds(30), _time.GetTimestamp()).TotalSeconds, tolerance: 0.01);
    }

    [Fact]
    public void What_was_seen_stays_good_for_hours_where_nothing_fresh_comes()
    {
        var clock = new BrokerClock(_time);
        var brokers = _time.GetUtcNow().AddSeconds(20);
        clock.Saw(brokers, _time.GetTimestamp());
        for (var minute = 0; minute < 10 * 60; minute++)
        {
            _time.Advance(TimeSpan.FromMinutes(1));
            clock.Saw(brokers.AddDays(-1), _time.GetTimestamp());
        }

        Assert.Equal(30, clock.Until(brokers.AddHours(10).AddSeconds(30), _time.GetTimestamp()).TotalSeconds, tolerance: 4);
    }

    [Fact]
    public void What_is_scheduled_goes_by_what_was_seen_lately_so_a_clock_that_once_stood_ahead_delays_nothing_half_an_hour_later()
    {
        var clock = new BrokerClock(_time);
        clock.Saw(_time.GetUtcNow().AddSeconds(20), _time.GetTimestamp());
        _time.Advance(RecentHighest.Span);
        Near(_time.GetUtcNow().AddSeconds(20), clock.Now, milliseconds: 100);
        clock.Saw(_time.GetUtcNow().AddSeconds(5), _time.GetTimestamp());
        _time.Advance(RecentHighest.Span);
        Near(_time.GetUtcNow().AddSeconds(5), clock.Now, milliseconds: 100);

        _time.Advance(RecentHighest.Span);

        Assert.Equal(_time.GetUtcNow(), clock.Now);
        Assert.Equal(_time.GetUtcNow().AddSeconds(60), clock.After(TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public void A_lock_that_had_ended_before_it_came_disproves_what_delays_go_by_but_is_not_trusted_any_longer()
    {
        var clock = new BrokerClock(_time);
        var hour = TimeSpan.FromHours(1);
        clock.Saw(_time.GetUtcNow() + hour, _time.GetTimestamp());
        _time.Advance(RecentHighest.Span);
        clock.Saw(_time.GetUtcNow().AddSeconds(5), _time.GetTimestamp());
        Near(_time.GetUtcNow() + hour, clock.Now, milliseconds: 1_000);

        var trusted = clock.Until(_time.GetUtcNow().AddSeconds(60), _time.GetTimestamp());

        Near(_time.GetUtcNow().AddSeconds(5), clock.Now, milliseconds: 1);
        Assert.Equal(TimeSpan.FromSeconds(1), trusted);
        Assert.Equal(TimeSpan.FromSeconds(1), clock.Until(_time.GetUtcNow().AddSeconds(60), _time.GetTimestamp()));
    }

    [Fact]
    public void A_time_beyond_all_calendars_leaves_something_to_be_scheduled_by()
    {
        var clock = new BrokerClock(_time);

        clock.Saw(DateTimeOffset.MaxValue, _time.GetTimestamp());
        _time.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(DateTimeOffset.MaxValue, clock.Now);
        Assert.Equal(DateTimeOffset.MaxValue, clock.After(TimeSpan.FromSeconds(1)));
        Assert.Equal(DateTimeOffset.MaxValue, new BrokerClock(_time).After(TimeSpan.MaxValue));
    }

    [Fact]
    public void Where_ours_is_ahead_trust_is_too_short_rather_than_too_long_but_never_nothing()
    {
        var clock = new BrokerClock(_time);
        clock.Saw(_time.GetUtcNow().AddSeconds(-10), _time.GetTimestamp());

        Assert.Equal(TimeSpan.FromSeconds(20), clock.Until(_time.GetUtcNow().AddSeconds(20), _time.GetTimestamp()));
        Assert.Equal(TimeSpan.FromSeconds(1), clock.Until(_time.GetUtcNow().AddSeconds(-60), _time.GetTimestamp()));
    }

    [Fact]
    public void A_connection_has_room_for_as_many_sessions_as_several_queues_may_want_if_the_broker_lets_it() =>
        Assert.Equal(ushort.MaxValue, NewDialer(new()).ConnectionOptions().ChannelMax);

    [Fact]
    public void Where_nobody_is_left_to_trust_the_setting_is_told()
    {
        var problem = Assert.Throws<BrokerException>(() => NewDialer(new() { CaFile = "/dev/null" }).ConnectionOptions());

        Assert.False(problem.IsTransient);
        Assert.Equal("Worker__ServiceBus__CaFile: /dev/null holds no certificate; set a file with the authorities to trust (PEM).", problem.Message);
    }

    [Theory]
    [InlineData(0, 0, 1, true)]
    [InlineData(0, 0, 0, false)]
    [InlineData(3, 3, 3, false)]
    [InlineData(3, 1, 2, true)]
    [InlineData(4, 0, 9, false)]
    public void A_session_more_is_taken_where_those_that_are_idle_leave_room(int held, int idle, int room, bool wants) =>
        Assert.Equal(wants, new SessionPlan(4, TimeSpan.FromSeconds(5), isNamed: false).WantsMore(held, idle, room));

    private Dialer NewDialer(ServiceBusBrokerOptions options)
    {
        var address = NamespaceAddress.OfHost("one.servicebus.windows.net");
        var tokens = new KeyTokens(new SharedAccessKey("me", "secret"), _time);
        return new(options, address, tokens, new Problems(address, tokens));
    }

    private static void Near(DateTimeOffset expected, DateTimeOffset actual, double milliseconds) => Assert.InRange((actual - expected).TotalMilliseconds, -milliseconds, milliseconds);

    [Fact]
    public void A_session_that_was_named_is_the_only_one_and_never_spent()
    {
        var plan = new SessionPlan(4, TimeSpan.FromSeconds(5), isNamed: true);

        Assert.True(plan.WantsMore(0, 0, 9));
        Assert.False(plan.WantsMore(1, 0, 9));
        Assert.False(plan.IsSpent(TimeSpan.FromDays(1), unasked: TimeSpan.Zero));
        Assert.False(plan.IsTurnOver(TimeSpan.FromDays(1)));
    }

    [Theory]
    [InlineData(4, 0, false)]
    [InlineData(4, 9, false)]
    [InlineData(5, 4, false)]
    [InlineData(5, 5, true)]
    public void One_that_was_named_is_given_up_too_where_nobody_asks(double idle, double unasked, bool isSpent) =>
        Assert.Equal(isSpent, new SessionPlan(4, TimeSpan.FromHours(1), isNamed: true).IsSpent(TimeSpan.FromSeconds(idle), TimeSpan.FromSeconds(unasked)));

    [Fact]
    public void Another_one_is_spent_after_its_time_without_messages()
    {
        var plan = new SessionPlan(4, TimeSpan.FromSeconds(7), isNamed: false);

        Assert.False(plan.IsSpent(TimeSpan.FromSeconds(6.9), unasked: TimeSpan.Zero));
        Assert.True(plan.IsSpent(TimeSpan.FromSeconds(7), unasked: TimeSpan.Zero));
    }

    [Fact]
    public void The_turn_of_a_session_is_over_after_a_while()
    {
        var plan = new SessionPlan(4, TimeSpan.FromSeconds(7), isNamed: false);

        Assert.False(plan.IsTurnOver(SessionPlan.Turn - TimeSpan.FromSeconds(0.1)));
        Assert.True(plan.IsTurnOver(SessionPlan.Turn));
    }
}
