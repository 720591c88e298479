using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class ConnectionBoundTests
{
    private readonly Desk _desk = new(options => options.ConnectionBound = true);

    [Fact]
    public void Without_a_cut_a_lease_lasts_unrenewed()
    {
        _desk.Send("a");
        var delivery = _desk.Take();

        _desk.Time.Advance(TimeSpan.FromDays(1));

        Assert.Equal([Renewal.Renewed], _desk.Renew(delivery));
        Assert.True(_desk.Complete(delivery));
    }

    [Fact]
    public void What_is_let_go_of_comes_again()
    {
        _desk.Send("a");
        var old = _desk.Take();

        _desk.Receiver.LetGo(old);
        var again = _desk.Take();

        Assert.Equal(2, again.DeliveryCount);
        Assert.False(_desk.Complete(old));
        Assert.True(_desk.Complete(again));
    }

    [Fact]
    public void What_is_gone_already_is_left_alone()
    {
        _desk.Send("a", "b");
        var (settled, severed) = (_desk.Take(), _desk.Take());
        Assert.True(_desk.Complete(settled));
        _desk.Broker.Faults.Cut();
        _desk.Broker.Faults.Restore();
        _desk.Take();

        _desk.Receiver.LetGo(settled);
        _desk.Receiver.LetGo(severed);

        Assert.Equal(new InMemoryQueueCounts("orders", 0, 1, 0, 0), _desk.Counts);
    }

    [Fact]
    public async Task To_let_go_of_something_after_the_end_is_no_mistake()
    {
        _desk.Send("a");
        var delivery = _desk.Take();
        await _desk.Receiver.DisposeAsync();

        _desk.Receiver.LetGo(delivery);
    }

    [Fact]
    public void A_cut_loses_all_that_is_held_and_says_so_at_once()
    {
        _desk.Send("a", "b");
        var held = _desk.Take(2);

        _desk.Broker.Faults.Cut();

        Assert.Equal([Renewal.Severed, Renewal.Severed], _desk.Renew(held));
        Assert.False(_desk.Complete(held[0]));
        Assert.Equal(new InMemoryQueueCounts("orders", 2, 0, 0, 0), _desk.Counts);
    }

    [Fact]
    public void After_a_cut_the_messages_come_again_in_order_and_old_receipts_stay_severed()
    {
        _desk.Send("a", "b", "c");
        var old = _desk.Take(2);
        _desk.Broker.Faults.Cut();
        _desk.Broker.Faults.Restore();

        var again = _desk.Take(3);

        Assert.Equal(["a", "b", "c"], again.Select(delivery => delivery.Message.Id));
        Assert.Equal([2, 2, 1], again.Select(delivery => delivery.DeliveryCount));
        Assert.Equal([Renewal.Severed, Renewal.Renewed], _desk.Renew(old[0], again[0]));
        Assert.False(_desk.Complete(old[0]));
        Assert.True(_desk.Complete(again[0]));
    }

    [Fact]
    public async Task However_slow_the_renewals_a_severed_lease_is_known_to_be_severed()
    {
        _desk.Send("a");
        var outcomes = new Renewal[1];
        var held = _desk.Take();
        _desk.Broker.Faults.Cut();
        _desk.Broker.Faults.Renewals.Slow(TimeSpan.FromSeconds(2));

        var renewing = _desk.Receiver.RenewAsync(new[] { held }, outcomes, default);
        _desk.Pass(2);

        await renewing;
        Assert.Equal(Renewal.Severed, outcomes[0]);
    }

    [Fact]
    public void A_lease_that_was_lost_before_the_cut_stays_lost()
    {
        _desk.Send("a");
        var delivery = _desk.Take();
        _desk.Settle(delivery, Settlement.Abandon);

        _desk.Broker.Faults.Cut();

        Assert.Equal([Renewal.Lost], _desk.Renew(delivery));
    }

    [Fact]
    public void Closing_a_receiver_gives_back_what_came_through_it_and_nothing_else()
    {
        _desk.Send("a", "b");
        var other = _desk.Open();
        var gone = Assert.Single(_desk.Take(1, other));
        var kept = _desk.Take();

        Desk.Now(other.DisposeAsync());

        Assert.Equal([Renewal.Severed, Renewal.Renewed], _desk.Renew(gone, kept));
        Assert.Equal(["a"], _desk.TakeIds(2));
    }

    [Fact]
    public void With_timed_locks_neither_a_cut_nor_closing_the_receiver_loses_a_lease()
    {
        var desk = new Desk();
        desk.Send("a");
        var other = desk.Open();
        var delivery = Assert.Single(desk.Take(1, other));

        Desk.Now(other.DisposeAsync());
        desk.Broker.Faults.Cut();
        desk.Broker.Faults.Restore();

        Assert.Equal([Renewal.Renewed], desk.Renew(delivery));
        Assert.True(desk.Complete(delivery));
    }

    [Fact]
    public void The_hold_limit_ends_a_lease_here_too()
    {
        var desk = new Desk(options => (options.ConnectionBound, options.HoldLimit) = (true, TimeSpan.FromMinutes(30)));
        desk.Send("a");
        var delivery = desk.Take();

        desk.Time.Advance(TimeSpan.FromMinutes(30) - TimeSpan.FromTicks(1));
        Assert.Equal([Renewal.Renewed], desk.Renew(delivery));
        desk.Time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal([Renewal.Lost], desk.Renew(delivery));
    }
}
