using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What is let through while receiving pauses, to see whether it may go on.</summary>
public sealed class ProbeTests : IDisposable
{
    private readonly FailingQueue _queue = new();

    public void Dispose() => _queue.Dispose();

    [Fact]
    public void After_the_pause_one_message_is_let_through_and_its_success_ends_the_pause()
    {
        var hand = _queue.Paused();
        _queue.Fails = _ => false;
        _queue.Handling = 0.5;

        hand.Run(5.45);
        Assert.Equal(9, _queue.Runs.Count);
        Assert.Equal("too many handlers have failed (Breaker__FailureRatio)", _queue.Holding);
        hand.Run(0.6);

        Assert.Equal(13, _queue.Runs.Count);
        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void A_probe_that_fails_makes_the_next_pause_longer_up_to_the_longest()
    {
        var hand = _queue.Start();
        _queue.Send(40);

        hand.Run(100);

        Assert.Equal([10, 20, 25, 25], _queue.Pauses);
    }

    [Fact]
    public void A_probe_whose_lease_is_lost_has_told_nothing_and_another_one_is_let_through()
    {
        var hand = _queue.Paused();
        _queue.Fails = _ => false;
        _queue.Handling = 30;
        hand.Run(6);
        Assert.Equal(9, _queue.Runs.Count);

        _queue.Handling = 0.01;
        hand.Keeper.Lose(hand.Queue.InHand.All()[0].Lease, MissReason.Expired);
        hand.Run(1);

        Assert.True(_queue.Runs.Count > 10);
        Assert.Null(_queue.Holding);
    }

    [Theory]
    [MemberData(nameof(FailingQueue.WaysToPutOff), MemberType = typeof(FailingQueue))]
    public void A_probe_that_is_put_off_makes_the_next_pause_longer(SettlementKind kind)
    {
        var hand = _queue.Paused();
        (_queue.Fails, _queue.Answer) = (_ => false, FailingQueue.PuttingOff(kind));

        hand.Run(95);

        Assert.Equal([10, 20, 25, 25], _queue.Pauses);
        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void A_probe_that_is_called_off_and_gives_back_its_message_has_told_nothing()
    {
        var hand = _queue.Paused();
        (_queue.Fails, _queue.Answer, _queue.HeedsByAnswering, _queue.Handling) = (_ => false, Settlement.Abandon, true, 30);
        hand.Run(6);
        Assert.Equal(9, _queue.Runs.Count);

        _queue.Handling = 0.01;
        hand.Keeper.Lose(hand.Queue.InHand.All()[0].Lease, MissReason.Expired);
        hand.Run(0);
        _queue.Answer = Settlement.Complete;
        hand.Run(1);

        Assert.True(_queue.Runs.Count > 10);
        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void A_probe_that_hangs_shuts_nothing_for_ever_for_another_one_is_let_through()
    {
        var hand = _queue.Paused();
        _queue.Fails = _ => false;
        _queue.Handling = 1e6;
        hand.Run(6);
        Assert.Equal(9, _queue.Runs.Count);

        _queue.Handling = 0.01;
        hand.Run(9);
        Assert.Equal(9, _queue.Runs.Count);
        hand.Run(2);

        Assert.Equal(40, _queue.Runs.Count);
        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void A_probe_that_is_slow_still_counts_once_another_one_was_let_through()
    {
        var hand = _queue.Paused();
        _queue.Fails = _ => false;
        _queue.Handling = 12;

        hand.Run(17);
        Assert.Equal(10, _queue.Runs.Count);
        Assert.NotNull(_queue.Holding);
        hand.Run(1);

        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void A_probe_that_fails_late_does_not_undo_what_a_later_one_proves()
    {
        var hand = _queue.Paused();
        _queue.Fails = message => message.Id == _queue.Runs[8].Id;
        _queue.Handling = 12;
        hand.Run(6);
        _queue.Handling = 6;
        hand.Run(10);
        Assert.Equal(10, _queue.Runs.Count);

        // The first probe, of 12 s, fails while the second still runs, which comes to its end 4 s later.
        hand.Run(5.5);

        Assert.Null(_queue.Holding);
    }

    [Fact]
    public void What_was_a_probe_before_the_last_pause_has_no_say_in_the_next_one()
    {
        var hand = _queue.Paused();
        _queue.Fails = _ => false;
        _queue.Handling = 30;
        hand.Run(6);
        _queue.Handling = 0.01;
        hand.Run(11);
        Assert.Equal((40, 0), (_queue.Runs.Count, hand.Counts.Waiting));
        _queue.Fails = message => message.Id != _queue.Runs[8].Id;
        hand.Run(12);

        // It succeeds while receiving pauses anew.
        _queue.Send(40);
        hand.Run(5);
        var before = _queue.Runs.Count;
        hand.Run(4);

        Assert.Contains($"{_queue.Runs[8].Id} Complete", hand.Spy.Settled);
        Assert.Equal(before, _queue.Runs.Count);
        Assert.NotNull(_queue.Holding);
    }

    [Fact]
    public void Probes_that_fail_after_one_that_was_let_through_before_or_beside_them_make_the_next_pause_no_longer()
    {
        var hand = _queue.Start(options => (options.MaxConcurrency, options.Breaker.MaxPause) = (16, TimeSpan.FromHours(1)));
        _queue.Send(40);
        hand.Run(5);
        var before = _queue.Runs.Count;
        _queue.Handling = 60;

        // The first of them fails a minute later, when as many are under way as pauses fit into that.
        hand.Run(205);

        var probes = _queue.Runs.Skip(before).Select(run => Math.Round(run.At)).ToArray();
        Assert.Equal([10, 20, 30, 40, 50, 60], probes[..6]);
        Assert.Equal([90, 110, 130, 190], probes[^4..]);
    }
}
