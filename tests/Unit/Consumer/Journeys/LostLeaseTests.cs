using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LostLeaseTests : IDisposable
{
    private readonly List<string> _runs = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_handler_that_runs_for_long_keeps_its_lease()
    {
        var hand = Start(async (_, _) =>
        {
            await _hand!.Sleep(300);
            return Settlement.Complete;
        });

        hand.Send("a");
        hand.Run(301);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
        Assert.True(hand.Queue.Meter.Renewals(Renewal.Renewed) >= 50);
    }

    [Fact]
    public void A_handler_hears_of_its_lost_lease_and_its_message_is_handled_again()
    {
        var hand = Start(async (message, cancel) =>
        {
            await _hand!.Nap(message.DeliveryCount == 1 ? 60 : 1, cancel);
            return Settlement.Complete;
        });
        hand.Faults.RefuseRenewals(1);

        hand.Send("a");
        hand.Run(10);

        Assert.Equal(["a 1", "a 2"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Rejected));
        Assert.Equal(1, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_settlement_is_not_tried_again_once_its_lease_has_ended_though_nobody_has_noticed_yet()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Faults.Settlements.Fail(1);
        hand.Send("a");
        hand.Run(0.1);

        hand.Time.StandStill(TimeSpan.FromSeconds(20));
        hand.Run(1);

        Assert.Empty(hand.Spy.Untrusted);
        Assert.Equal(1, hand.Status.Queues[0].Misses);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void What_was_completed_after_its_lease_was_lost_is_settled_at_its_redelivery_without_running_again()
    {
        var hand = Start(
            async (_, _) =>
            {
                await _hand!.Sleep(30);
                return Settlement.Complete;
            },
            atOnce: 1);
        hand.Faults.Renewals.Silence();

        hand.Send("a");
        hand.Run(9.9);
        Assert.Equal(1, hand.Misses(MissReason.Expired));
        Assert.Equal(0, hand.Keeper.Held);
        hand.Run(50);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(["a 1"], _runs);
        Assert.Empty(hand.Spy.Untrusted);
    }

    [Fact]
    public void A_message_whose_lease_was_lost_before_its_turn_came_is_not_handled()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Send("a");
        Busy(11);
        hand.Run(1);

        Assert.Equal(["a 2"], _runs);
        Assert.Equal(1, hand.Misses(MissReason.Expired));
    }

    [Fact]
    public void Near_the_longest_hold_a_running_message_is_given_back_and_counted()
    {
        var hand = Start(
            async (_, cancel) =>
            {
                await _hand!.Nap(60, cancel);
                return Settlement.Complete;
            },
            holdLimit: 25);

        hand.Send("a");
        hand.Run(24.7);

        Assert.Equal(["a 1", "a 2"], _runs);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Deadline));
        Assert.Equal(1, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void Near_the_longest_hold_a_handler_hears_of_it_before_its_message_may_begin_elsewhere()
    {
        double? told = null;
        var hand = Start(
            async (_, cancel) =>
            {
                cancel.Register(() => told ??= _hand!.Now);
                await _hand!.Nap(60, cancel);
                return Settlement.Complete;
            },
            holdLimit: 25);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.2));

        hand.Send("a");
        hand.Run(24.6);

        Assert.Equal((24.5, 1), (told, hand.Spy.SettlementsUnderWay));
    }

    [Fact]
    public void A_message_that_completes_while_it_is_given_back_for_its_longest_hold_is_not_handled_again()
    {
        var hand = Start(
            async (_, cancel) =>
            {
                try
                {
                    await _hand!.Nap(60, cancel);
                }
                catch (OperationCanceledException)
                {
                    // What it can still do it does.
                }

                return Settlement.Complete;
            },
            holdLimit: 25,
            atLimit: AtLimit.Delay);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.2));

        hand.Send("a");
        hand.Run(90);

        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Delay", "a Complete"], hand.Spy.Settled);
    }

    [Theory]
    [InlineData(AtLimit.Delay, "a Delay", "a 1|a 2")]
    [InlineData(AtLimit.DeadLetter, "a DeadLetter", "a 1")]
    public void Near_the_longest_hold_a_running_message_ends_as_it_is_set(AtLimit atLimit, string settled, string runs)
    {
        var hand = Start(
            async (_, cancel) =>
            {
                await _hand!.Nap(60, cancel);
                return Settlement.Complete;
            },
            holdLimit: 25,
            atLimit: atLimit);

        hand.Send("a");
        hand.Run(29);
        Assert.Equal(["a 1"], _runs);
        hand.Run(1);

        Assert.Equal(runs.Split('|'), _runs);
        Assert.Equal([settled], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Deadline));
        Assert.Equal(1, hand.Status.Queues[0].Misses);
        Assert.Empty(hand.Spy.LetGo);
    }

    [Fact]
    public void What_has_not_begun_by_then_is_given_back_however_that_is_set()
    {
        var hand = Start((_, _) => new(Settlement.Complete), holdLimit: 15, atLimit: AtLimit.DeadLetter);

        hand.Send("a");
        Busy(5);
        Busy(5);
        Busy(4.5);
        hand.Run(1);

        Assert.Equal(["a 2"], _runs);
        Assert.Equal(["a Abandon", "a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Queue.Admission.Used);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_broker_whose_locks_never_end_is_told_what_is_not_trusted_any_more(bool isSettling)
    {
        var hand = Start(
            async (message, cancel) =>
            {
                await _hand!.Nap(message.DeliveryCount == 1 && !isSettling ? 60 : 1, cancel);
                return Settlement.Complete;
            },
            connectionBound: true);
        if (isSettling)
            hand.Faults.Settlements.Fail(1, isTransient: false);
        else
            hand.Faults.Renewals.Silence();

        hand.Send("a");
        hand.Run(12);

        Assert.Single(hand.Spy.LetGo);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(isSettling ? MissReason.Connection : MissReason.Expired));
    }

    [Fact]
    public void Whose_connection_ends_is_called_off_before_its_message_begins_anew()
    {
        var (running, most) = (0, 0);
        var hand = Start(
            async (message, cancel) =>
            {
                most = Math.Max(most, ++running);
                try
                {
                    await _hand!.Nap(message.DeliveryCount == 1 ? 60 : 1, cancel);
                }
                finally
                {
                    running--;
                }

                return Settlement.Complete;
            },
            atOnce: 2,
            connectionBound: true);
        hand.Send("a");
        hand.Run(0.5);

        hand.Faults.Cut();
        hand.Faults.Restore();
        hand.Run(2);

        Assert.Equal(["a 1", "a 2"], _runs);
        Assert.Equal(1, most);
        Assert.Equal((1, 0), (hand.Misses(MissReason.Connection), hand.Misses(MissReason.Rejected)));
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void Whose_connection_ends_is_called_off_though_no_slot_is_free_to_receive_with()
    {
        var hand = Start(async (message, cancel) => await Napping(message.DeliveryCount == 1 ? 60 : 1, cancel), atOnce: 1, connectionBound: true);
        hand.Send("a");
        hand.Run(0.5);

        hand.Faults.Cut();
        hand.Run(0.2);

        Assert.Equal((1, 0), (hand.Misses(MissReason.Connection), hand.Queue.Admission.Used));
        Assert.Equal(EngineState.Running, hand.Status.State);
    }

    [Fact]
    public void What_waits_when_its_connection_ends_does_not_begin_and_what_is_settled_then_is_told_as_lost_with_it()
    {
        var hand = Start((_, _) => new(Settlement.Complete), connectionBound: true);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.05));
        hand.Send("a");
        hand.Run(0.01);
        hand.Send("b");
        Busy(0.001);
        hand.Faults.Cut();
        hand.Run(0.09);

        Assert.Equal(["a 1"], _runs);
        Assert.Equal((2, 0), (hand.Misses(MissReason.Connection), hand.Misses(MissReason.Rejected)));
    }

    [Fact]
    public void A_message_that_was_given_back_before_its_turn_came_does_not_begin()
    {
        var hand = Start((_, _) => new(Settlement.Complete), holdLimit: 15);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.2));

        hand.Send("a");
        Busy(5);
        Busy(5);
        Busy(4.5);
        hand.Run(0.05);
        Assert.Equal((1, 0), (hand.Spy.SettlementsUnderWay, _runs.Count));

        hand.Run(1);
        Assert.Equal(["a 2"], _runs);
        Assert.Equal(["a Abandon", "a Complete"], hand.Spy.Settled.Order());
        Assert.Equal(1, hand.Misses(MissReason.Deadline));
    }

    [Fact]
    public void A_handler_that_does_not_heed_its_token_keeps_its_slot_although_its_message_was_given_back()
    {
        var hand = Start(
            async (_, _) =>
            {
                await _hand!.Sleep(40);
                return Settlement.Complete;
            },
            holdLimit: 15,
            atOnce: 1);

        hand.Send("a");
        hand.Run(39);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(["a 1"], _runs);

        hand.Run(2);
        Assert.Equal(["a Abandon", "a Complete"], hand.Spy.Settled);
        Assert.Equal(["a 1"], _runs);
    }

    [Fact]
    public void A_settlement_that_has_just_begun_is_not_called_off_with_its_handler()
    {
        var hand = Start(
            async (_, _) =>
            {
                await _hand!.Sleep(14);
                _hand.Time.Advance(TimeSpan.FromSeconds(0.55));
                return Settlement.Complete;
            },
            holdLimit: 15);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.1));

        hand.Send("a");
        hand.Run(15);

        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_settlement_that_hangs_is_called_off_when_trust_ends_and_frees_its_slot()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Faults.Settlements.Silence(1);

        hand.Send("a");
        hand.Run(9.7);
        Assert.Equal((1, 1), (hand.Queue.Admission.Used, hand.Spy.SettlementsUnderWay));

        hand.Run(0.1);
        Assert.Equal((0, 0), (hand.Queue.Admission.Used, hand.Spy.SettlementsUnderWay));
        Assert.Equal(1, hand.Misses(MissReason.Expired));

        hand.Run(1);
        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(1, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void Settlements_that_fail_for_a_moment_are_sent_again()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Faults.Settlements.Fail(3);

        hand.Send("a");
        hand.Run(2);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_settlement_that_fails_for_good_is_a_miss_and_its_message_comes_again()
    {
        var hand = Start((_, _) => new(Settlement.Complete));
        hand.Faults.Settlements.Fail(1, isTransient: false);

        hand.Send("a");
        hand.Run(1);
        Assert.Equal(0, hand.Queue.Admission.Used);
        hand.Run(10);

        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(1, hand.Misses(MissReason.Connection));
    }

    [Fact]
    public void A_settlement_that_is_refused_until_the_longest_hold_is_over_is_lost_to_the_deadline()
    {
        var hand = Start((_, cancel) => new(Napping(21, cancel)), holdLimit: 25);
        hand.Faults.Settlements.Fail();

        hand.Send("a");
        hand.Run(25);

        Assert.Equal((1, 0), (hand.Misses(MissReason.Deadline), hand.Misses(MissReason.Connection)));
    }

    private EngineByHand Start(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, double? holdLimit = null, int atOnce = 4, AtLimit atLimit = AtLimit.Abandon, bool connectionBound = false)
    {
        _hand = new EngineByHand(
            (message, cancel) =>
            {
                _runs.Add($"{message.Id} {message.DeliveryCount}");
                return handle(message, cancel);
            },
            options => (options.MaxConcurrency, options.Lease.AtLimit) = (atOnce, atLimit),
            options => (options.HoldLimit, options.ConnectionBound) = (holdLimit is { } limit ? TimeSpan.FromSeconds(limit) : null, connectionBound));
        return _hand.Start();
    }

    private async Task<Settlement> Napping(double seconds, CancellationToken cancel)
    {
        await _hand!.Nap(seconds, cancel);
        return Settlement.Complete;
    }

    // A turn that ranks before every message, and takes so long.
    private void Busy(double seconds) =>
        _hand!.Lanes.NewStrand(priority: 9, "busy").Run(() => _hand.Time.Advance(TimeSpan.FromSeconds(seconds)));
}
