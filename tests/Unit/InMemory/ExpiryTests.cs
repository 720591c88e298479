using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class ExpiryTests
{
    private readonly Desk _desk = new();

    [Fact]
    public void A_lock_lasts_to_the_last_tick_of_its_duration()
    {
        _desk.Send("a");
        var delivery = _desk.Take();

        _desk.Time.Advance(TimeSpan.FromSeconds(30) - TimeSpan.FromTicks(1));

        Assert.True(_desk.Complete(delivery));
    }

    [Fact]
    public void A_lock_is_over_exactly_at_its_duration()
    {
        _desk.Send("a");
        var delivery = _desk.Take();

        _desk.Pass(30);

        Assert.False(_desk.Complete(delivery));
        Assert.Equal([Renewal.Lost], _desk.Renew(delivery));
        Assert.Equal(2, _desk.Take().DeliveryCount);
    }

    [Fact]
    public void A_renewed_lock_lasts_a_full_duration_from_its_renewal()
    {
        _desk.Send("a");
        var delivery = _desk.Take();
        _desk.Pass(20);
        _desk.Renew(delivery);

        _desk.Time.Advance(TimeSpan.FromSeconds(30) - TimeSpan.FromTicks(1));
        Assert.Equal([Renewal.Renewed], _desk.Renew(delivery));

        _desk.Pass(30);
        Assert.Equal([Renewal.Lost], _desk.Renew(delivery));
    }

    [Fact]
    public async Task The_message_of_a_lapsed_lock_goes_to_a_receiver_that_waits_at_that_moment()
    {
        _desk.Send("a");
        _desk.Take();
        _desk.Pass(7);
        var waiting = _desk.WaitAsync();

        _desk.Pass(22.999);
        Assert.False(waiting.IsCompleted);
        _desk.Pass(0.001);

        Assert.True(waiting.IsCompleted);
        Assert.Equal(TimeSpan.FromSeconds(30).Ticks, (await waiting).ArrivedAt);
    }

    [Fact]
    public void Locks_lapse_each_at_its_own_time_whatever_was_renewed_or_settled_between()
    {
        _desk.Send("a", "b", "c", "d");
        var held = new List<Delivery>();
        for (var n = 0; n < 4; n++)
        {
            held.AddRange(_desk.Take(1));
            _desk.Pass(1);
        }

        _desk.Renew(held[1]);
        _desk.Complete(held[2]);

        _desk.Pass(26);
        Assert.Equal(["a"], _desk.TakeIds(4));
        _desk.Pass(2.999);
        Assert.Equal(0, _desk.Counts.Waiting);
        _desk.Pass(0.001);
        Assert.Equal(["d"], _desk.TakeIds(4));
        _desk.Pass(1);
        Assert.Equal(["b"], _desk.TakeIds(4));
    }

    [Fact]
    public void No_renewal_carries_a_lease_past_the_hold_limit()
    {
        var desk = new Desk(options => options.HoldLimit = TimeSpan.FromSeconds(50));
        desk.Send("a", "b");
        var first = desk.Take();
        Assert.Equal(TimeSpan.FromSeconds(50), first.HoldLimit);
        desk.Pass(25);
        var second = desk.Take();
        desk.Renew(second, first);

        desk.Pass(24.999);
        Assert.Equal([Renewal.Renewed, Renewal.Renewed], desk.Renew(second, first));
        desk.Pass(0.001);

        Assert.Equal([Renewal.Renewed, Renewal.Lost], desk.Renew(second, first));
        desk.Pass(25);
        Assert.Equal([Renewal.Lost], desk.Renew(second));
    }

    [Fact]
    public void A_delayed_message_is_ready_exactly_when_its_wait_is_over()
    {
        _desk.Send("later", 0, delay: 5);
        _desk.Send("now");
        _desk.Settle(_desk.Take(), Settlement.Delay(TimeSpan.FromSeconds(3)));

        _desk.Time.Advance(TimeSpan.FromSeconds(3) - TimeSpan.FromTicks(1));
        Assert.Equal(2, _desk.Counts.Delayed);
        _desk.Time.Advance(TimeSpan.FromTicks(1));
        Assert.Equal(["now"], _desk.TakeIds(2));

        _desk.Pass(2);
        Assert.Equal(["later"], _desk.TakeIds(2));
    }

    [Fact]
    public void A_delay_without_end_is_kept()
    {
        _desk.Pass(1);
        _desk.Send("never", 0, delay: TimeSpan.MaxValue.TotalSeconds / 2);
        _desk.Send("a");
        _desk.Settle(_desk.Take(), Settlement.Delay(TimeSpan.MaxValue));

        _desk.Time.Advance(TimeSpan.FromDays(1000));

        Assert.Equal(2, _desk.Counts.Delayed);
    }

    [Fact]
    public async Task A_delay_of_months_ends_in_time_for_who_waits()
    {
        _desk.Send("later", 0, delay: TimeSpan.FromDays(90).TotalSeconds);
        var waiting = _desk.WaitAsync();

        _desk.Time.Advance(TimeSpan.FromDays(90) - TimeSpan.FromMilliseconds(1));
        Assert.False(waiting.IsCompleted);
        _desk.Time.Advance(TimeSpan.FromMilliseconds(1));

        Assert.True(waiting.IsCompleted);
        Assert.Equal("later", (await waiting).Message.Id);
    }

    [Fact]
    public async Task A_delay_longer_than_any_timer_is_taken_on_a_real_clock_too()
    {
        await using var broker = new InMemoryBroker();
        var sender = await broker.OpenSenderAsync("orders", default);

        await sender.SendAsync(new Message { Id = "later" }, TimeSpan.FromDays(1000), default);

        Assert.Equal(1, broker.Counts("orders").Delayed);
    }

    [Fact]
    public void Settled_leases_leave_no_timer_behind()
    {
        _desk.Send("a");
        _desk.Complete(_desk.Take());

        _desk.Pass(30);

        Assert.Null(_desk.Time.UntilNextTimer);
    }
}
