using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LossTests : IDisposable
{
    private readonly KeeperByHand _hand = new();

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void Who_looks_at_his_token_only_after_he_was_called_off_finds_that_out()
    {
        var lease = _hand.Hold();

        lease.CallOff();
        _hand.Lanes.RunUntilIdle();

        Assert.True(lease.Token.IsCancellationRequested);
        Assert.False(lease.LossToken.IsCancellationRequested);
    }

    [Theory]
    [InlineData(Renewal.Lost, "Rejected")]
    [InlineData(Renewal.Severed, "Connection")]
    public void What_the_broker_says_is_lost_is_lost_at_once(Renewal outcome, string reason)
    {
        var lease = _hand.Hold();
        var whenLost = _hand.WhenLost(lease);
        _hand.Receiver.OnRenew = request => request.Answer(outcome);

        _hand.RunTo(20);

        Assert.Equal(5, whenLost());
        Assert.Equal(1, _hand.Meter.Misses(Enum.Parse<MissReason>(reason)));
        Assert.Equal(1, _hand.Misses);
        Assert.Single(_hand.Receiver.Requests);
    }

    [Theory]
    [InlineData(Renewal.Lost, "Rejected")]
    [InlineData(Renewal.Severed, "Connection")]
    public void What_is_known_to_be_lost_without_asking_is_lost_for_the_same_reason(Renewal fate, string reason)
    {
        var lease = new Lease(_hand.Book, new Fated(fate), TimeSpan.Zero, spread: 0);

        Assert.Equal(Enum.Parse<MissReason>(reason), lease.ReasonOfFate);
    }

    [Fact]
    public void Trust_that_runs_out_without_a_connection_is_counted_as_such()
    {
        _hand.Hold();
        _hand.Receiver.OnRenew = request => request.Fail();
        _hand.Receiver.IsConnected = false;

        _hand.RunTo(20);

        Assert.Equal(1, _hand.Meter.Misses(MissReason.Connection));
        Assert.Equal(1, _hand.Misses);
    }

    [Fact]
    public void A_late_refusal_ends_the_lease_although_a_newer_request_is_under_way()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(8);

        _hand.Receiver.Requests[0].Answer(Renewal.Lost);
        _hand.Run(0);

        Assert.Equal(LeaseState.Lost, lease.State);
        Assert.Equal(1, _hand.Meter.Misses(MissReason.Rejected));
    }

    [Fact]
    public void A_late_grant_does_not_bring_a_lost_lease_back()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(10);

        foreach (var request in _hand.Receiver.Requests)
            request.Answer(Renewal.Renewed);
        _hand.RunTo(20);

        Assert.Equal(LeaseState.Lost, lease.State);
        Assert.Equal(0, lease.Remaining(_hand.Time.Elapsed).TotalSeconds);
        Assert.False(_hand.Keeper.TryBeginSettling(lease));
        Assert.Equal(1, _hand.Misses);
    }

    [Fact]
    public void A_settlement_is_refused_once_trust_has_run_out_even_before_the_keeper_has_looked()
    {
        var lease = _hand.Hold();
        _hand.Time.Advance(TimeSpan.FromSeconds(9.75));

        Assert.False(_hand.Keeper.TryBeginSettling(lease));
        Assert.Equal(LeaseState.Lost, lease.State);
        Assert.Equal(1, _hand.Meter.Misses(MissReason.Expired));
    }

    [Fact]
    public void A_settlement_begins_once_only()
    {
        var lease = _hand.Hold();

        Assert.True(_hand.Keeper.TryBeginSettling(lease));
        Assert.False(_hand.Keeper.TryBeginSettling(lease));
    }

    [Fact]
    public void No_renewal_is_sent_beside_a_settlement_which_is_called_off_when_trust_ends()
    {
        var lease = _hand.Hold();
        var whenLost = _hand.WhenLost(lease);
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        _hand.RunTo(20);

        Assert.Empty(_hand.Receiver.Requests);
        Assert.Equal(9.75, whenLost());
        Assert.Equal(1, _hand.Meter.Misses(MissReason.Expired));
    }

    [Fact]
    public void A_renewal_that_comes_back_refused_beside_a_settlement_leaves_the_last_word_to_the_settlement()
    {
        var lease = _hand.Hold();
        _hand.Receiver.OnRenew = _ => { };
        _hand.RunTo(5);
        Assert.True(_hand.Keeper.TryBeginSettling(lease));

        _hand.Receiver.Requests[0].Answer(Renewal.Lost);
        _hand.Run(0);
        _hand.Keeper.Settled(lease);

        Assert.Equal(LeaseState.Settled, lease.State);
        Assert.Equal(0, _hand.Misses);
    }

    [Fact]
    public void An_ended_lease_is_never_renewed()
    {
        var settled = _hand.Hold(id: "settled");
        var lost = _hand.Hold(id: "lost");
        _hand.Hold(id: "held");
        _hand.RunTo(1);
        Assert.True(_hand.Keeper.TryBeginSettling(settled));
        _hand.Keeper.Settled(settled);
        _hand.Keeper.Lose(lost, MissReason.Rejected);

        _hand.RunTo(30);

        Assert.NotEmpty(_hand.Receiver.Requests);
        Assert.All(_hand.Receiver.Requests, request => Assert.Equal(["held"], request.Ids));
    }

    [Fact]
    public void Of_several_ends_one_counts_and_the_number_held_returns_to_zero()
    {
        var one = _hand.Hold(id: "one");
        var other = _hand.Hold(id: "other");
        Assert.Equal((2, 2), (_hand.Keeper.Held, _hand.Meter.Held));

        _hand.Keeper.Lose(one, MissReason.Rejected);
        _hand.Keeper.Lose(one, MissReason.Drain);
        Assert.False(_hand.Keeper.TryBeginSettling(one));
        Assert.True(_hand.Keeper.TryBeginSettling(other));
        _hand.Keeper.Settled(other);
        _hand.Keeper.Settled(other);

        Assert.Equal((0, 0), (_hand.Keeper.Held, _hand.Meter.Held));
        Assert.Equal(1, _hand.Misses);
    }

    [Fact]
    public void A_token_asked_for_after_the_loss_is_cancelled_already()
    {
        var lease = _hand.Hold();
        _hand.Keeper.Lose(lease, MissReason.Rejected);

        Assert.True(lease.Token.IsCancellationRequested);
    }

    private sealed class Fated : Delivery
    {
        private readonly Renewal _fate;

        [SetsRequiredMembers]
        public Fated(Renewal fate) => (Message, DeliveryCount, LockDuration, _fate) = (new Message { Id = "a" }, 1, TimeSpan.FromSeconds(10), fate);

        public override Renewal? Fate => _fate;
    }
}
