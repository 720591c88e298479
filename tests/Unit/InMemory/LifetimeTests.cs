using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class LifetimeTests
{
    private readonly Desk _desk = new();

    [Fact]
    public void Closing_a_receiver_ends_its_waits_and_those_only()
    {
        var mine = _desk.WaitAsync();
        var others = _desk.WaitAsync(_desk.Open());

        Desk.Now(_desk.Receiver.DisposeAsync());

        Assert.True(mine.IsCanceled);
        Assert.False(others.IsCompleted);
        Assert.Throws<ObjectDisposedException>(() => _desk.Take());
    }

    [Fact]
    public void Closing_a_receiver_ends_its_slow_and_silent_calls()
    {
        _desk.Send("a");
        var held = _desk.Take();
        _desk.Broker.Faults.Renewals.Silence();
        _desk.Broker.Faults.Receives.Slow(TimeSpan.FromSeconds(1));
        var renewing = _desk.Receiver.RenewAsync(new[] { held }, new Renewal[1], default);
        var receiving = _desk.WaitAsync();

        Desk.Now(_desk.Receiver.DisposeAsync());

        Assert.True(renewing.IsCanceled);
        Assert.True(receiving.IsCanceled);
    }

    [Fact]
    public void Closing_the_broker_ends_everything_and_leaves_no_timer()
    {
        _desk.Send("a");
        _desk.Take();
        var waiting = _desk.WaitAsync(_desk.Open("others"));
        _desk.Broker.Faults.Sends.Silence();
        var sending = _desk.Sender.SendAsync(new Message { Id = "b" }, TimeSpan.Zero, default);

        Desk.Now(_desk.Broker.DisposeAsync());
        _ = _desk.Counts;

        Assert.True(waiting.IsCanceled);
        Assert.True(sending.IsCanceled);
        Assert.Null(_desk.Time.UntilNextTimer);
        Assert.False(_desk.Receiver.IsConnected);
        Assert.Throws<ObjectDisposedException>(() => _desk.Take());
        Assert.Throws<ObjectDisposedException>(() => _desk.Send("c"));
        Assert.Throws<ObjectDisposedException>(() => _desk.Open());
    }

    [Fact]
    public void Closing_twice_is_closing_once()
    {
        Desk.Now(_desk.Sender.DisposeAsync());
        Desk.Now(_desk.Sender.DisposeAsync());
        Desk.Now(_desk.Receiver.DisposeAsync());
        Desk.Now(_desk.Receiver.DisposeAsync());
        Desk.Now(_desk.Broker.DisposeAsync());
        Desk.Now(_desk.Broker.DisposeAsync());

        Assert.Throws<ObjectDisposedException>(() => _desk.Send("a"));
    }

    [Fact]
    public void The_counts_tell_where_the_messages_are()
    {
        _desk.Send("waiting", "completed", "dead");
        _desk.Send("delayed", 0, delay: 1);
        var held = _desk.Take(3);
        _desk.Settle(held[0], Settlement.Abandon);
        _desk.Complete(held[1]);
        _desk.Settle(held[2], Settlement.DeadLetter("Bad", "Too bad"));
        _desk.Send("another");
        _desk.Take();

        Assert.Equal(
            [
                new InMemoryQueueCounts("orders", Waiting: 1, Held: 1, Delayed: 1, Dead: 1),
                new InMemoryQueueCounts("orders.dead", Waiting: 1, Held: 0, Delayed: 0, Dead: 0),
            ],
            _desk.Broker.Counts());
        Assert.Equal(new InMemoryQueueCounts("unknown", 0, 0, 0, 0), _desk.Broker.Counts("unknown"));
    }

    [Fact]
    public void A_queue_that_has_nothing_and_nobody_is_forgotten()
    {
        Desk.Now(_desk.Sender.DisposeAsync());
        Assert.Single(_desk.Broker.Counts());

        Desk.Now(_desk.Receiver.DisposeAsync());
        Assert.Empty(_desk.Broker.Counts());

        var (again, receiver) = (Desk.Now(_desk.Broker.OpenSenderAsync("orders", default)), _desk.Open());
        Desk.Now(again.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default));
        Assert.Equal("a", Assert.Single(_desk.Take(1, receiver)).Message.Id);
    }

    [Fact]
    public void A_queue_whose_messages_wait_are_held_or_come_later_stays_whoever_leaves()
    {
        _desk.Send("waiting");
        _desk.Send("delayed", 0, delay: 60);
        Leave();
        Assert.Equal([new InMemoryQueueCounts("orders", Waiting: 1, Held: 0, Delayed: 1, Dead: 0)], _desk.Broker.Counts());

        var receiver = _desk.Open();
        _desk.Take(1, receiver);
        Desk.Now(receiver.DisposeAsync());
        Assert.Equal([new InMemoryQueueCounts("orders", Waiting: 0, Held: 1, Delayed: 1, Dead: 0)], _desk.Broker.Counts());

        _desk.Pass(60);
        Assert.Equal(2, _desk.Take(2, _desk.Open()).Length);
    }

    [Fact]
    public void A_queue_with_dead_letters_stays_until_those_are_gone()
    {
        _desk.Send("a");
        _desk.Settle(_desk.Take(), Settlement.DeadLetter("Bad", "Too bad"));
        Leave();
        Assert.Equal((2, 1), (_desk.Broker.Counts().Count, _desk.Counts.Dead));

        var dead = _desk.Open("orders.dead");
        Desk.Now(dead.SettleAsync(Assert.Single(_desk.Take(1, dead)), Settlement.Complete, default));
        Desk.Now(dead.DisposeAsync());
        _ = _desk.Counts;
        Assert.Empty(_desk.Broker.Counts());
    }

    [Fact]
    public void What_arrives_when_its_sender_has_left_is_kept_all_the_same()
    {
        _desk.Broker.Faults.Sends.Slow(TimeSpan.FromSeconds(2));
        _ = _desk.Sender.SendAsync(new Message { Id = "late" }, TimeSpan.Zero, default).AsTask();
        Leave();
        Assert.Empty(_desk.Broker.Counts());

        _desk.Pass(2);

        Assert.Equal(1, _desk.Counts.Waiting);
    }

    [Fact]
    public void Whoever_comes_and_sends_while_others_leave_loses_nothing()
    {
        const int Each = 5_000;
        var broker = new InMemoryBroker();
        Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, _ =>
        {
            for (var i = 0; i < Each; i++)
            {
                var sender = Desk.Now(broker.OpenSenderAsync("orders", default));
                Desk.Now(sender.SendAsync(new Message { Id = $"{i}" }, TimeSpan.Zero, default));
                Desk.Now(sender.DisposeAsync());
                var receiver = Desk.Now(broker.OpenReceiverAsync("orders", default));
                var taken = new Delivery[1];
                Assert.Equal(1, Desk.Now(receiver.ReceiveAsync(taken, default)));
                Assert.True(Desk.Now(receiver.SettleAsync(taken[0], Settlement.Complete, default)));
                Desk.Now(receiver.DisposeAsync());
            }
        });

        Assert.Empty(broker.Counts());
    }

    [Fact]
    public void Queues_do_not_share_messages()
    {
        var others = _desk.Open("others");
        _desk.Send("a");

        Assert.False(_desk.WaitAsync(others).IsCompleted);
        var held = _desk.Take();
        Assert.Throws<ArgumentException>(() => Desk.Now(others.SettleAsync(held, Settlement.Complete, default)));
        Assert.Throws<ArgumentException>(() => Desk.Now(others.RenewAsync(new[] { held }, new Renewal[1], default)));
    }

    [Fact]
    public void A_renewal_carries_no_more_than_a_batch_and_has_an_outcome_for_each()
    {
        _desk.Send("a");
        var held = _desk.Take();

        Assert.Throws<ArgumentOutOfRangeException>(
            () => _desk.Renew([.. Enumerable.Repeat(held, _desk.Receiver.RenewalBatch + 1)]));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => Desk.Now(_desk.Receiver.RenewAsync(new[] { held }, Memory<Renewal>.Empty, default)));
    }

    [Fact]
    public void A_call_that_was_called_off_before_it_began_does_nothing()
    {
        var off = new CancellationToken(canceled: true);
        _desk.Send("a");
        var held = _desk.Take();
        var outcomes = new Renewal[1];

        Assert.True(_desk.Sender.SendAsync(new Message { Id = "b" }, TimeSpan.Zero, off).AsTask().IsCanceled);
        Assert.True(_desk.Receiver.SettleAsync(held, Settlement.Complete, off).AsTask().IsCanceled);
        Assert.True(_desk.Receiver.RenewAsync(new[] { held }, outcomes, off).AsTask().IsCanceled);
        Assert.True(_desk.Broker.OpenSenderAsync("others", off).AsTask().IsCanceled);

        Assert.Equal(Renewal.Unknown, outcomes[0]);
        Assert.Equal([new InMemoryQueueCounts("orders", Waiting: 0, Held: 1, Delayed: 0, Dead: 0)], _desk.Broker.Counts());
    }

    [Fact]
    public void A_settled_lease_can_no_longer_be_used()
    {
        _desk.Send("a");
        var held = _desk.Take();
        Assert.True(_desk.Complete(held));

        Assert.False(_desk.Complete(held));
        Assert.False(_desk.Settle(held, Settlement.Abandon));
        Assert.Equal([Renewal.Lost], _desk.Renew(held));
    }

    [Theory]
    [InlineData(0, 10, 1)]
    [InlineData(30, 0, 1)]
    [InlineData(30, 10, 0)]
    public void Settings_that_make_no_sense_are_refused(int lockSeconds, int maxDeliveries, int holdSeconds)
    {
        var options = new InMemoryBrokerOptions
        {
            LockDuration = TimeSpan.FromSeconds(lockSeconds),
            MaxDeliveries = maxDeliveries,
            HoldLimit = TimeSpan.FromSeconds(holdSeconds),
        };

        Assert.Throws<ArgumentOutOfRangeException>(() => new InMemoryBroker(options));
    }

    private void Leave()
    {
        Desk.Now(_desk.Sender.DisposeAsync());
        Desk.Now(_desk.Receiver.DisposeAsync());
    }
}
