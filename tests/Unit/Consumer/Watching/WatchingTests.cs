using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer.Watching;

public sealed class WatchingTests : IDisposable
{
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void While_all_is_well_leases_keep_their_places_however_often_they_are_renewed()
    {
        var hand = Start(atOnce: 20);
        for (var i = 0; i < 20; i++)
        {
            hand.Send($"m{i}");
            hand.Run(0.7);
        }

        for (var i = 0; i < 30; i++)
        {
            hand.Run(1);
            var snapshot = hand.Engine.Leases(100);
            Assert.Equal(Enumerable.Range(0, 20).Select(n => $"m{n}"), snapshot.Leases.Select(lease => lease.MessageId));
            Assert.Equal((20, 0), (snapshot.InHand, snapshot.InDanger));
            Assert.All(snapshot.Leases, lease => Assert.Equal(LeaseDanger.None, lease.Danger));
        }
    }

    [Fact]
    public void What_is_in_danger_comes_first_the_least_trust_before_all()
    {
        var hand = StartEndangered();

        var snapshot = hand.Engine.Leases(100);
        var ranks = snapshot.Leases.Select(lease => lease.Danger).ToArray();
        var endangered = snapshot.Leases.TakeWhile(lease => lease.Danger != LeaseDanger.None).ToArray();
        Assert.Equal(ranks.OrderDescending(), ranks);
        Assert.InRange(endangered.Length, 2, 19);
        Assert.Equal(endangered.Length, snapshot.InDanger);
        foreach (var group in endangered.GroupBy(lease => lease.Danger))
            Assert.Equal(group.OrderBy(lease => lease.TrustedUntil), group);
        Assert.Equal(endangered.Where(lease => lease.Danger != LeaseDanger.Lost).Min(lease => lease.TrustedUntil) - snapshot.At, snapshot.LeastTrust);
    }

    [Fact]
    public void A_list_that_is_cut_short_has_the_most_urgent_and_counts_the_rest()
    {
        var hand = StartEndangered();

        var (all, some, none) = (hand.Engine.Leases(100), hand.Engine.Leases(7), hand.Engine.Leases(0));
        Assert.Equal(all.Leases.Take(7), some.Leases);
        Assert.Empty(none.Leases);
        Assert.All([some, none], cut => Assert.Equal((all.InHand, all.InDanger, all.Lost, all.LeastTrust), (cut.InHand, cut.InDanger, cut.Lost, cut.LeastTrust)));
        Assert.Equal(all.Leases.Count(lease => lease.Danger == LeaseDanger.Lost), all.Lost);
        Assert.Equal(all.Leases.Count, all.InHand);
    }

    [Fact]
    public void A_lost_lease_stays_in_sight_until_its_handler_has_ended()
    {
        var hand = Start(heedsToken: false);
        hand.Faults.RefuseRenewals(1);
        hand.Send("a");
        hand.Run(10);

        var snapshot = hand.Engine.Leases(10);
        Assert.Equal([("a", 1, LeaseDanger.Lost), ("a", 2, LeaseDanger.None)], snapshot.Leases.Select(lease => (lease.MessageId, lease.DeliveryCount, lease.Danger)));
        Assert.Equal(snapshot.Leases[1].TrustedUntil - snapshot.At, snapshot.LeastTrust);
        Assert.Equal((1, 1), (snapshot.Lost, hand.Engine.Leases(0).Lost));
    }

    [Fact]
    public void What_is_lost_is_told_of_afterwards_and_only_so_much_of_it()
    {
        var hand = Start(atOnce: 100);
        hand.Run(10);
        hand.Faults.RefuseRenewals(60);
        for (var i = 0; i < 60; i++)
            hand.Send($"m{i}");
        hand.Run(9);

        var misses = hand.Engine.LastMisses();
        Assert.Equal(60, hand.Status.Queues[0].Misses);
        Assert.Equal(RecentMisses.Most, misses.Length);
        Assert.All(misses, miss => Assert.Equal(("orders", "rejected", 1), (miss.Queue, miss.Reason, miss.DeliveryCount)));
        Assert.Equal(misses.OrderByDescending(miss => miss.At), misses);
        Assert.All(misses, miss => Assert.InRange(miss.Held.TotalSeconds, 4, 6));
    }

    [Fact]
    public void However_many_queues_there_are_only_the_last_misses_of_all_are_told()
    {
        using var hand = new EngineByHand((_, _) => new(Settlement.Complete), otherQueues: "parcels").Start();
        for (var i = 0; i < 40; i++)
        {
            hand.Queues[0].Meter.LastMisses.Add(Miss(2 * i));
            hand.Queues[1].Meter.LastMisses.Add(Miss((2 * i) + 1));
        }

        Assert.Equal(Enumerable.Range(30, RecentMisses.Most).Reverse().Select(i => $"{i}"), hand.Engine.LastMisses().Select(miss => miss.MessageId));

        static LeaseMiss Miss(int i) => new(DateTimeOffset.UnixEpoch.AddSeconds(i), "any", $"{i}", 1, "expired", TimeSpan.Zero, null);
    }

    [Fact]
    public void An_id_without_end_is_not_kept_at_its_length()
    {
        var hand = Start();
        hand.Faults.RefuseRenewals(1);
        hand.Send(new string('x', 1_000_000));
        hand.Run(9);

        Assert.Equal(256, Assert.Single(hand.Engine.LastMisses()).MessageId.Length);
    }

    [Fact]
    public void Where_a_message_is_on_its_way_can_be_seen()
    {
        var states = new List<LaneState>();
        var hand = Start(
            async (_, _) =>
            {
                Note();
                await _hand!.Sleep(1);
                return Settlement.Complete;
            });
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(1));
        hand.Send("a");
        while (hand.Engine.Leases(1).Leases.Count == 0)
            hand.Lanes.RunOne();
        Note();
        hand.Run(0.5);
        Note();
        hand.Time.Advance(TimeSpan.FromSeconds(1));
        Note();
        hand.Run(0.5);
        Note();
        hand.Run(5);

        Assert.Equal([LaneState.Waiting, LaneState.Running, LaneState.Awaiting, LaneState.Waiting, LaneState.Settling], states);
        Assert.Empty(hand.Engine.Leases(1).Leases);

        void Note() => states.Add(_hand!.Engine.Leases(1).Leases[0].State);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(9, 9)]
    [InlineData(200, 10)]
    public void What_waits_for_its_handler_is_counted_by_its_priority(byte priority, int place)
    {
        var hand = Start();
        hand.Send(new Message { Id = "a", Priority = priority });
        while (hand.Queue.Admission.Used == 0)
            hand.Lanes.RunOne();
        Assert.Equal(Enumerable.Range(0, 11).Select(n => n == place ? 1 : 0), Waiting());

        hand.Run(1);
        Assert.All(Waiting(), count => Assert.Equal(0, count));

        int[] Waiting()
        {
            var counts = new int[11];
            hand.Queue.InHand.CountUnbegun(counts);
            return counts;
        }
    }

    [Fact]
    public void The_lanes_tell_how_many_threads_are_busy()
    {
        var busy = new List<int>();
        var hand = Start((_, _) =>
        {
            busy.Add(_hand!.Status.Lanes.Single(lane => lane.Lane == "process").Busy);
            return new(Settlement.Complete);
        });
        hand.Send("a");
        hand.Run(1);

        Assert.Equal([1], busy);
        Assert.All(hand.Status.Lanes, lane => Assert.Equal(0, lane.Busy));
    }

    // Twenty leases of different ages, of which none is renewed any more: some are in danger by now.
    private EngineByHand StartEndangered()
    {
        var hand = Start(atOnce: 20);
        for (var i = 0; i < 20; i++)
        {
            hand.Send($"m{i}");
            hand.Run(0.4);
        }

        hand.Faults.Renewals.Silence();
        hand.Run(5.5);
        return hand;
    }

    private EngineByHand Start(int atOnce = 4, bool heedsToken = true) => Start(
        async (_, cancel) =>
        {
            await (heedsToken ? _hand!.Nap(300, cancel) : _hand!.Sleep(300));
            return Settlement.Complete;
        },
        atOnce);

    private EngineByHand Start(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, int atOnce = 4) =>
        (_hand = new EngineByHand(handle, options => options.MaxConcurrency = atOnce)).Start();
}
