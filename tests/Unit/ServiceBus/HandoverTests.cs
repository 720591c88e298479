using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class HandoverTests
{
    private readonly VirtualTime _time = new();
    private readonly List<string> _givenBack = [];
    private readonly Handover _handover;

    public HandoverTests() => _handover = new Handover(_time, GiveBack);

    [Fact]
    public void What_is_there_is_taken_at_once_but_no_more_than_there_is_room_for()
    {
        Arrive("a", "b", "c");
        var room = new Delivery[2];

        Assert.Null(_handover.TakeOrWait(room, out var taken));

        Assert.Equal(2, taken);
        Assert.Equal(["a", "b"], room.Select(delivery => delivery.Message.Id));
        Assert.Equal(0, _handover.Demand);
    }

    [Fact]
    public async Task Those_who_wait_are_served_in_their_order_with_what_came_together()
    {
        var (one, other) = (new Delivery[2], new Delivery[4]);
        var first = _handover.TakeOrWait(one, out _)!;
        var second = _handover.TakeOrWait(other, out _)!;
        Assert.Equal(6, _handover.Demand);
        Arrive("a", "b", "c");
        Assert.Equal(3, _handover.Demand);
        Assert.False(first.Task.IsCompleted);

        _handover.HandOver();

        Assert.Equal((2, 1), (await first.Task, await second.Task));
        Assert.Equal(["a", "b", "c"], one.Concat(other.Take(1)).Select(delivery => delivery.Message.Id));
        Assert.False(_handover.HasWaiting);
    }

    [Fact]
    public void Who_leaves_takes_along_what_is_there_and_is_not_served_any_more()
    {
        var room = new Delivery[2];
        var wait = _handover.TakeOrWait(room, out _)!;
        Arrive("a");

        Assert.True(_handover.TryLeave(wait));

        Assert.Equal(1, wait.Given);
        Assert.False(_handover.TryLeave(wait));
        Assert.Equal(0, _handover.Demand);
        Arrive("b");
        _handover.HandOver();
        Assert.False(wait.Task.IsCompleted);
        Assert.Null(room[1]);
    }

    [Fact]
    public async Task For_who_is_about_to_leave_nothing_is_asked_but_it_is_served_if_something_comes()
    {
        var leaving = _handover.TakeOrWait(new Delivery[2], out _)!;
        var staying = _handover.TakeOrWait(new Delivery[3], out _)!;
        _handover.BeginLeaving(leaving);
        _handover.BeginLeaving(leaving);
        Assert.Equal((3, true), (_handover.Demand, _handover.HasWaiting));
        _handover.BeginLeaving(staying);
        Assert.Equal((0, false), (_handover.Demand, _handover.HasWaiting));

        Arrive("a");
        _handover.HandOver();

        Assert.Equal(1, await leaving.Task);
        Assert.True(_handover.TryLeave(staying));
        Assert.Equal((0, false), (_handover.Demand, _handover.HasWaiting));
    }

    [Fact]
    public void When_a_link_ends_all_who_wait_hear_of_it()
    {
        var waits = Enumerable.Range(0, 3).Select(_ => _handover.TakeOrWait(new Delivery[1], out var _)!).ToArray();

        _handover.Fail(() => new BrokerException("gone", isTransient: true));

        Assert.All(waits, wait => Assert.IsType<BrokerException>(wait.Task.Exception!.InnerException));
        Assert.False(_handover.HasWaiting);
    }

    [Fact]
    public void What_nobody_takes_is_given_back_after_a_quarter_of_its_lock()
    {
        var early = Arrive("early")[0];
        _time.Advance(TimeSpan.FromSeconds(1));
        var late = Arrive("late")[0];
        Assert.True(_handover.GiveBackUnclaimed());
        Assert.False(early.IsOver);

        _time.Advance(TimeSpan.FromSeconds(1.5));

        Assert.True(_handover.GiveBackUnclaimed());
        Assert.True(early.IsOver);
        Assert.False(late.IsOver);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_handover.GiveBackUnclaimed());
        Assert.True(late.IsOver);
    }

    [Fact]
    public void What_nobody_takes_of_a_session_is_given_back_after_as_long_as_any_other_at_most_though_its_lock_is_renewed()
    {
        var session = new HeldSession("s", "link", null!, _time, new BrokerClock(_time));
        session.Locked(_time.GetTimestamp(), _time.GetUtcNow().AddSeconds(10));
        var early = Arrive(session, "early")[0];
        _time.Advance(TimeSpan.FromSeconds(4));
        var late = Arrive(session, "late")[0];
        Assert.True(_handover.GiveBackUnclaimed());
        Assert.False(early.IsOver);

        _time.Advance(TimeSpan.FromSeconds(1));

        Assert.True(_handover.GiveBackUnclaimed());
        Assert.True(early.IsOver);
        Assert.False(late.IsOver);
    }

    [Fact]
    public void It_tells_for_how_long_nobody_has_asked()
    {
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(TimeSpan.FromSeconds(1), _handover.UnaskedFor);
        var wait = _handover.TakeOrWait(new Delivery[1], out _)!;
        _time.Advance(TimeSpan.FromSeconds(9));
        Assert.Equal(TimeSpan.Zero, _handover.UnaskedFor);

        Assert.True(_handover.TryLeave(wait));

        Assert.Equal(TimeSpan.Zero, _handover.UnaskedFor);
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(TimeSpan.FromSeconds(2), _handover.UnaskedFor);
        Arrive("a");
        Assert.Null(_handover.TakeOrWait(new Delivery[1], out _));
        Assert.Equal(TimeSpan.Zero, _handover.UnaskedFor);
    }

    [Fact]
    public void Each_that_nobody_takes_is_given_back_once()
    {
        foreach (var id in (string[])["a", "b"])
        {
            Arrive(id);
            _time.Advance(TimeSpan.FromSeconds(2.5));
            Assert.False(_handover.GiveBackUnclaimed());
        }

        Assert.Equal(["a", "b"], _givenBack);
    }

    [Fact]
    public void What_whoever_closes_up_has_taken_is_handed_to_nobody()
    {
        Arrive("a", "b");

        Assert.Equal(2, _handover.TakeAll().Length);

        Assert.NotNull(_handover.TakeOrWait(new Delivery[2], out _));
    }

    [Fact]
    public void What_has_waited_for_half_its_lock_is_not_handed_over_any_more()
    {
        var stale = Arrive("stale")[0];
        _time.Advance(TimeSpan.FromSeconds(5));
        Arrive("fresh");
        var room = new Delivery[2];

        Assert.Null(_handover.TakeOrWait(room, out var taken));

        Assert.Equal(1, taken);
        Assert.Equal("fresh", room[0].Message.Id);
        Assert.True(stale.IsOver);
    }

    [Fact]
    public async Task Who_waits_goes_on_waiting_where_all_that_is_there_has_waited_too_long()
    {
        Arrive("stale");
        _time.Advance(TimeSpan.FromSeconds(5));
        var room = new Delivery[1];

        var wait = _handover.TakeOrWait(room, out _)!;
        _handover.HandOver();
        Assert.False(wait.Task.IsCompleted);
        Arrive("fresh");
        _handover.HandOver();

        Assert.Equal(1, await wait.Task);
        Assert.Equal("fresh", room[0].Message.Id);
    }

    [Fact]
    public void What_came_by_a_session_that_is_lost_is_not_handed_out()
    {
        var lost = new HeldSession("s", "link", null!, _time, new BrokerClock(_time));
        Arrive(lost, "a");
        lost.End(Renewal.Lost);
        Arrive("b");
        var room = new Delivery[2];

        Assert.Null(_handover.TakeOrWait(room, out var taken));

        Assert.Equal(1, taken);
        Assert.Equal("b", room[0].Message.Id);
    }

    private void GiveBack(ServiceBusDelivery delivery)
    {
        _givenBack.Add(delivery.Message.Id);
        Settler.GiveBack(delivery);
    }

    private ServiceBusDelivery[] Arrive(params string[] ids) => Arrive(null, ids);

    private ServiceBusDelivery[] Arrive(HeldSession? session, params string[] ids)
    {
        var deliveries = ids.Select(id => new ServiceBusDelivery
        {
            Message = new Message { Id = id },
            Original = new AmqpMessage(),
            Entity = EntityName.Parse("orders"),
            LockToken = Guid.NewGuid(),
            SequenceNumber = 1,
            DeliveryCount = 1,
            EnqueuedAt = default,
            ArrivedAt = _time.GetTimestamp(),
            LockDuration = TimeSpan.FromSeconds(10),
            Session = session,
        }).ToArray();
        Array.ForEach(deliveries, _handover.Add);
        return deliveries;
    }
}
