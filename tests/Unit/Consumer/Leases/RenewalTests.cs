using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class RenewalTests : IDisposable
{
    private readonly KeeperByHand _hand = new(new LeaseOptions { MaxMargin = TimeSpan.FromMilliseconds(250) });

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void A_lease_is_renewed_at_its_time_and_again_and_again()
    {
        var lease = _hand.Hold();

        _hand.RunTo(22);

        Assert.Equal([5, 10, 15, 20], _hand.Receiver.AskedAt);
        Assert.Equal(29.75, lease.TrustedUntil.TotalSeconds);
        Assert.Equal(LeaseState.Held, lease.State);
        Assert.Equal(4, _hand.Meter.Renewals(Renewal.Renewed));
        Assert.Equal(4.75, _hand.Meter.LeastMargin!.Value.TotalSeconds);
    }

    [Fact]
    public void A_request_that_is_never_answered_is_called_off_once_all_that_it_asks_for_has_ended_and_that_is_no_failure()
    {
        _hand.Receiver.OnRenew = request => request.CalledOff.Register(() => request.Fail(new OperationCanceledException()));
        var settled = _hand.Hold(id: "settled");
        var held = _hand.Hold(id: "held", lockSeconds: 10);
        _hand.RunTo(6);
        Assert.Equal(["settled", "held"], _hand.Receiver.Requests[0].Ids.OrderDescending());
        _hand.Keeper.TryBeginSettling(settled);
        _hand.Keeper.Settled(settled);
        _hand.RunTo(9.5);
        Assert.Equal((LeaseState.Held, false), (held.State, _hand.Receiver.Requests[0].CalledOff.IsCancellationRequested));

        _hand.RunTo(30);

        Assert.Equal(LeaseState.Lost, held.State);
        Assert.All(_hand.Receiver.Requests, request => Assert.True(request.CalledOff.IsCancellationRequested));
        Assert.Equal((0, 0), _hand.Operations);
    }

    [Theory]
    [InlineData(LeaseState.Settled, null)]
    [InlineData(LeaseState.Held, "The last renewal failed: The broker is away.")]
    [InlineData(LeaseState.Lost, "The last renewal failed: The broker is away.")]
    internal void A_request_that_fails_is_no_trouble_once_all_that_it_asks_for_was_settled(LeaseState other, string? trouble)
    {
        _hand.Receiver.OnRenew = _ => { };
        var (one, two) = (_hand.Hold(), _hand.Hold());
        _hand.RunTo(5.5);
        Settle(one);
        if (other == LeaseState.Settled)
            Settle(two);
        else if (other == LeaseState.Lost)
            _hand.Keeper.Lose(two, MissReason.Connection);

        Assert.Single(_hand.Receiver.Requests).Fail();
        _hand.RunTo(5.6);

        Assert.Equal((other, trouble), (two.State, _hand.Book.Trouble));

        void Settle(Lease lease)
        {
            _hand.Keeper.TryBeginSettling(lease);
            _hand.Keeper.Settled(lease);
        }
    }

    [Fact]
    public void Requests_that_wait_for_a_new_connection_are_called_off_as_soon_as_their_leases_have_ended()
    {
        _hand.Receiver.OnRenew = request => request.CalledOff.Register(() => request.Fail(new OperationCanceledException()));
        var lease = _hand.Hold(lockSeconds: 30);

        _hand.RunTo(29.7);
        Assert.Equal(LeaseState.Held, lease.State);
        _hand.RunTo(30);

        Assert.Equal(LeaseState.Lost, lease.State);
        Assert.True(_hand.Receiver.Requests.Count > 10);
        Assert.All(_hand.Receiver.Requests, request => Assert.True(request.CalledOff.IsCancellationRequested));
    }

    [Fact]
    public void While_one_of_its_leases_is_held_a_request_is_waited_for_however_long_it_takes()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = request =>
        {
            if (_hand.Receiver.Requests.Count > 1)
                request.Answer(Renewal.Renewed);
        };

        _hand.RunTo(300);
        Assert.Equal((LeaseState.Held, false), (lease.State, _hand.Receiver.Requests[0].CalledOff.IsCancellationRequested));

        _hand.Keeper.TryBeginSettling(lease);
        _hand.Keeper.Settled(lease);
        _hand.Run(20);
        Assert.True(_hand.Receiver.Requests[0].CalledOff.IsCancellationRequested);
    }

    [Fact]
    public void The_least_trust_that_was_ever_left_is_remembered()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = request =>
        {
            if (_hand.Receiver.Requests.Count > 1)
                request.Answer(Renewal.Renewed);
        };
        _hand.RunTo(6);
        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);

        _hand.RunTo(60);

        Assert.Equal(3.75, _hand.Meter.LeastMargin!.Value.TotalSeconds);
        Assert.True(_hand.Meter.Renewals(Renewal.Renewed) > 5);
    }

    [Fact]
    public void One_that_comes_back_with_hardly_any_trust_left_is_trouble_too()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(8.6);

        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);
        _hand.Run(0);

        Assert.Equal(1.15, _hand.Meter.LeastMargin!.Value.TotalSeconds);
        Assert.True(_hand.Book.IsStrained(_hand.Time.Elapsed + Seconds(3)));
        Assert.False(_hand.Book.IsStrained(_hand.Time.Elapsed + Seconds(4)));
    }

    [Fact]
    public void A_lock_that_is_older_than_its_delivery_is_trusted_from_when_it_was_given()
    {
        _hand.RunTo(7);
        var lease = _hand.Keeper.Hold(_hand.Book, _hand.NewDelivery(lockedAt: 4));

        Assert.Equal(13.75, lease.TrustedUntil.TotalSeconds);
        _hand.RunTo(9.5);

        Assert.Equal([9], _hand.Receiver.AskedAt);
        Assert.Equal(7, lease.Since.TotalSeconds);
    }

    [Fact]
    public void A_lock_that_has_become_shorter_ends_what_was_trusted_by_the_longer_one()
    {
        var delivery = new Shortened(_hand.NewDelivery(lockSeconds: 300));
        var lease = _hand.Keeper.Hold(_hand.Book, delivery);
        var whenLost = _hand.WhenLost(lease);
        Assert.Equal(299.75, lease.TrustedUntil.TotalSeconds);
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(154);
        Assert.Equal([150, 153], _hand.Receiver.AskedAt);

        delivery.LocksLast(10);
        _hand.Receiver.Requests[1].Answer(Renewal.Renewed);
        _hand.Run(0);
        Assert.Equal(162.75, lease.TrustedUntil.TotalSeconds);

        // What was asked for, and granted, before that.
        delivery.LocksLast(300);
        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);
        _hand.Run(0);
        delivery.LocksLast(10);

        Assert.Equal(162.75, lease.TrustedUntil.TotalSeconds);
        _hand.RunTo(200);
        Assert.Equal((162.75, 158), (whenLost(), _hand.Receiver.AskedAt.ElementAt(2)));
    }

    [Fact]
    public void So_does_one_that_comes_when_it_has_been_asked_for_again()
    {
        var delivery = new Shortened(_hand.NewDelivery(lockSeconds: 300));
        var lease = _hand.Keeper.Hold(_hand.Book, delivery);
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(154);

        delivery.LocksLast(10);
        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);
        _hand.Run(0);

        Assert.Equal(159.75, lease.TrustedUntil.TotalSeconds);
    }

    [Fact]
    public void What_is_due_soon_travels_with_what_is_due_now()
    {
        _hand.Hold(id: "a");
        _hand.RunTo(0.6);
        _hand.Hold(id: "b");
        _hand.RunTo(0.7);
        _hand.Hold(id: "c");

        _hand.RunTo(6);

        Assert.Equal(["a, b at 5", "c at 5.7"], Requests());
    }

    [Fact]
    public void A_request_carries_no_more_leases_than_the_broker_takes()
    {
        _hand.Receiver.RenewalBatch = 2;
        foreach (var id in new[] { "a", "b", "c" })
            _hand.Hold(id: id);

        _hand.RunTo(6);

        Assert.Equal([2, 1], _hand.Receiver.Requests.Select(request => request.Ids.Length));
        Assert.All(_hand.Receiver.AskedAt, at => Assert.Equal(5, at));
    }

    [Fact]
    public void Leases_that_came_together_come_due_apart()
    {
        _hand.Receiver.RenewalBatch = 1;
        _hand.Hold(id: "a");
        _hand.Spread = 1;
        _hand.Hold(id: "b");
        _hand.Spread = 0.5;

        _hand.RunTo(9.7);

        Assert.Equal(["b at 4.5", "a at 5", "b at 9.25"], Requests());
    }

    [Fact]
    public void Answers_without_knowledge_neither_end_a_lease_nor_extend_it_and_are_asked_for_again_within_trust() =>
        AskedAgainUntilTrustEnds(request => request.Answer(Renewal.Unknown));

    [Fact]
    public void Failed_requests_neither_end_a_lease_nor_extend_it_and_are_sent_again_within_trust() =>
        AskedAgainUntilTrustEnds(request => request.Fail());

    [Fact]
    public void Hung_requests_neither_end_a_lease_nor_extend_it_and_are_sent_again_within_trust() =>
        AskedAgainUntilTrustEnds(_ => { });

    [Fact]
    public void One_renewal_that_comes_back_after_failures_saves_the_lease()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = request => request.Fail();
        _hand.RunTo(7);
        _hand.Receiver.OnRenew = request => request.Answer(Renewal.Renewed);

        _hand.RunTo(60);

        Assert.Equal(LeaseState.Held, lease.State);
        Assert.Equal(0, _hand.Misses);
        Assert.Equal(2, _hand.Meter.Renewals(Renewal.Unknown));
    }

    [Fact]
    public void However_long_the_lock_a_renewal_that_failed_is_tried_again_within_seconds()
    {
        _hand.Hold(300);
        _hand.Receiver.OnRenew = request =>
        {
            if (_hand.Receiver.Requests.Count < 3)
                request.Fail();
            else
                request.Answer(Renewal.Renewed);
        };

        _hand.RunTo(300);

        Assert.Equal([150, 153, 156], _hand.Receiver.AskedAt);
    }

    [Fact]
    public void A_renewal_that_fails_in_a_way_that_can_not_even_be_read_is_one_like_others()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = request =>
        {
            if (_hand.Receiver.Requests.Count == 1)
                request.Fail(new UnreadableFailure());
            else
                request.Answer(Renewal.Renewed);
        };

        _hand.RunTo(60);

        Assert.Equal(LeaseState.Held, lease.State);
        Assert.Equal(0, _hand.Misses);
    }

    [Fact]
    public void A_late_answer_adds_trust_only_from_when_it_was_asked_for()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(8);
        Assert.Equal(9.75, lease.TrustedUntil.TotalSeconds);

        var (first, second) = (_hand.Receiver.Requests[0], _hand.Receiver.Requests[1]);
        first.Answer(Renewal.Renewed);
        _hand.Run(0);
        Assert.Equal(first.At + Seconds(9.75), lease.TrustedUntil);

        second.Answer(Renewal.Renewed);
        _hand.Run(0);
        Assert.Equal(second.At + Seconds(9.75), lease.TrustedUntil);
    }

    [Fact]
    public void Answers_out_of_order_never_take_trust_away()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(8);

        var (first, second) = (_hand.Receiver.Requests[0], _hand.Receiver.Requests[1]);
        second.Answer(Renewal.Renewed);
        _hand.Run(0);
        first.Answer(Renewal.Renewed);
        _hand.Run(0);

        Assert.Equal(second.At + Seconds(9.75), lease.TrustedUntil);
        Assert.Equal(LeaseState.Held, lease.State);
    }

    [Fact]
    public void What_was_asked_for_several_times_counts_once_when_all_its_answers_come()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(9);
        Assert.True(_hand.Receiver.Requests.Count >= 3);

        AnswerAll(Renewal.Renewed);

        Assert.Equal((1, 1), (_hand.Meter.Renewals(Renewal.Renewed), _hand.Margins));
        Assert.Equal(0.75, _hand.Meter.LeastMargin!.Value.TotalSeconds);
    }

    [Fact]
    public void What_is_asked_for_anew_after_that_counts_anew()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(7);
        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);
        _hand.RunTo(9);
        Assert.Equal(1, _hand.Meter.Renewals(Renewal.Renewed));

        _hand.Receiver.Requests[^1].Answer(Renewal.Renewed);
        _hand.Run(0);

        Assert.Equal((2, 2), (_hand.Meter.Renewals(Renewal.Renewed), _hand.Margins));
    }

    [Theory]
    [InlineData(Renewal.Lost)]
    [InlineData(Renewal.Severed)]
    [InlineData(Renewal.Renewed)]
    [InlineData(Renewal.Unknown)]
    public void What_is_said_of_a_lease_that_is_over_counts_nothing(Renewal outcome)
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(12);
        Assert.Equal(1, _hand.Misses);

        AnswerAll(outcome);

        Assert.Equal((0, 0, 1), (_hand.Meter.Renewals(outcome), _hand.Margins, _hand.Misses));
    }

    [Theory]
    [InlineData(Renewal.Lost)]
    [InlineData(Renewal.Severed)]
    public void A_lease_is_lost_once_however_often_that_is_said(Renewal outcome)
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(9);

        AnswerAll(outcome);

        Assert.Equal((1, 1), (_hand.Meter.Renewals(outcome), _hand.Misses));
    }

    [Fact]
    public void One_that_is_being_settled_is_not_lost_whatever_is_said_of_it()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(5.5);
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        AnswerAll(Renewal.Lost);
        _hand.Keeper.Settled(lease);

        Assert.Equal((0, 0, LeaseState.Settled), (_hand.Meter.Renewals(Renewal.Lost), _hand.Misses, lease.State));
    }

    [Fact]
    public void Of_requests_that_fail_together_only_the_last_is_asked_again_and_counts()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(9);

        AnswerAll(Renewal.Unknown);

        Assert.Equal(1, _hand.Meter.Renewals(Renewal.Unknown));
    }

    [Fact]
    public void A_request_that_dies_with_its_connection_is_an_operation_that_failed()
    {
        _hand.Hold(id: "a");
        _hand.Hold(id: "b");
        _hand.Receiver.OnRenew = request => request.Answer(Renewal.Severed);

        _hand.RunTo(6);

        Assert.Equal((0, 1), _hand.Operations);
    }

    [Theory]
    [InlineData(Renewal.Renewed)]
    [InlineData(Renewal.Lost)]
    [InlineData(Renewal.Unknown)]
    public void One_that_was_answered_went_well_whatever_the_answer(Renewal outcome)
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = request => request.Answer(outcome);

        _hand.RunTo(5.5);

        Assert.Equal((1, 0), _hand.Operations);
    }

    [Fact]
    public void After_a_hung_request_the_lease_goes_on_being_renewed_once_at_a_time()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = request =>
        {
            if (_hand.Receiver.Requests.Count > 1)
                request.Answer(Renewal.Renewed);
        };
        _hand.RunTo(9);
        _hand.Receiver.Requests[0].Answer(Renewal.Renewed);

        _hand.RunTo(60);

        Assert.Equal(LeaseState.Held, lease.State);
        Assert.All(_hand.Receiver.AskedAt.Skip(1).Zip(_hand.Receiver.AskedAt.Skip(2)), pair => Assert.Equal(5, pair.Second - pair.First, 0.001));
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.5)]
    public void Short_locks_are_held(double lockSeconds)
    {
        _hand.Hold(60, id: "long");
        _hand.Run(0.05);
        var lease = _hand.Hold(lockSeconds, id: "short");

        _hand.RunTo(20);

        Assert.Equal(LeaseState.Held, lease.State);
        Assert.Equal(0, _hand.Misses);
    }

    [Fact]
    public void A_queue_with_long_locks_does_not_pull_the_renewals_of_one_with_short_locks_forward()
    {
        var other = new FakeReceiver(_hand.Time) { RenewalBatch = 2 };
        var book = _hand.NewBook(other);
        _hand.Hold(300, id: "long");
        _hand.RunTo(148);
        _hand.Hold(5, id: "a", book: book);
        _hand.Hold(5, id: "b", book: book);

        _hand.RunTo(152);

        Assert.Equal([150], _hand.Receiver.AskedAt);
        Assert.Equal([150.5], other.AskedAt);
    }

    private void AnswerAll(Renewal outcome)
    {
        foreach (var request in _hand.Receiver.Requests.ToArray())
            request.Answer(outcome);
        _hand.Run(0);
    }

    private void AskedAgainUntilTrustEnds(Action<FakeReceiver.Request> onRenew)
    {
        var lease = _hand.Hold();
        var whenLost = _hand.WhenLost(lease);
        _hand.Receiver.OnRenew = onRenew;

        _hand.RunTo(9.5);
        Assert.Equal(9.75, lease.TrustedUntil.TotalSeconds);
        Assert.Equal(LeaseState.Held, lease.State);

        _hand.RunTo(30);
        Assert.Equal(9.75, whenLost()!.Value, 1e-7);
        Assert.Equal(1, _hand.Meter.Misses(MissReason.Expired));
        Assert.InRange(_hand.Receiver.Requests.Count, 4, 25);
        Assert.All(_hand.Receiver.AskedAt, at => Assert.InRange(at, 5, 9.75));
    }

    private IEnumerable<string> Requests() =>
        _hand.Receiver.Requests.Select(request => $"{string.Join(", ", request.Ids)} at {request.At.TotalSeconds}");

    private static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    /// <summary>One whose queue's locks are made shorter while it is held.</summary>
    private sealed class Shortened : Delivery
    {
        private TimeSpan _lockDuration;

        [SetsRequiredMembers]
        public Shortened(Delivery like) => (Message, DeliveryCount, LockDuration) = (like.Message, 1, like.LockDuration);

        public override required TimeSpan LockDuration
        {
            get => _lockDuration;
            init => _lockDuration = value;
        }

        public void LocksLast(double seconds) => _lockDuration = Seconds(seconds);
    }
}
