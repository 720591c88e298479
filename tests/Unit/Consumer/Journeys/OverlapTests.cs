using Holdfast.Broker;
using Holdfast.Tests.Unit.InMemory;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What one delivery of a message still does when the next one, or the next message, is there already.</summary>
public sealed class OverlapTests : IDisposable
{
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_message_that_comes_back_while_its_completion_is_still_on_its_way_is_not_handled_again()
    {
        List<string> runs = [];
        _hand = new EngineByHand(
            (message, _) =>
            {
                runs.Add($"{message.Id} {message.DeliveryCount}");
                return new(Settlement.Complete);
            },
            configureBroker: options => options.ConnectionBound = true);
        _hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(4));
        _hand.Start();
        _hand.Send("a");
        _hand.Run(0.5);

        // The connection goes with what it holds, and the settlement reaches a broker that has given the message up.
        _hand.Faults.Cut();
        _hand.Faults.Restore();
        _hand.Run(20);

        Assert.Equal(["a 1"], runs);
        Assert.Equal(["a Complete"], _hand.Spy.Settled);
    }

    [Fact]
    public void So_it_is_where_another_one_comes_again_at_the_same_time()
    {
        List<string> runs = [];
        _hand = new EngineByHand(
            async (message, _) =>
            {
                runs.Add($"{message.Id} {message.DeliveryCount}");
                await _hand!.Sleep(message is { Id: "again", DeliveryCount: > 1 } ? 10 : 0.1);
                return message is { Id: "again", DeliveryCount: 1 } ? Settlement.Abandon : Settlement.Complete;
            },
            configureBroker: options => options.LockDuration = TimeSpan.FromSeconds(60));
        _hand.Start();
        _hand.Send("again");
        _hand.Run(1);
        _hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(4));
        _hand.Send("a");
        _hand.Run(1);

        // The broker gives up what is on its way to being settled, and nothing else.
        _hand.Faults.RefuseRenewals(1);
        Assert.Equal([Renewal.Lost], Renew("a"));
        _hand.Run(30);

        Assert.Equal(["again 1", "again 2", "a 1"], runs);
        Assert.Equal(["again Abandon", "a Complete", "again Complete"], _hand.Spy.Settled);
    }

    [Fact]
    public void And_where_it_has_come_back_just_before_it_completed()
    {
        List<string> runs = [];
        var hand = _hand = new EngineByHand(
            async (message, _) =>
            {
                runs.Add($"{message.Id} {message.DeliveryCount}");
                await _hand!.Sleep(1);
                return Settlement.Complete;
            },
            configureBroker: options => options.LockDuration = TimeSpan.FromSeconds(60));
        hand.Start();
        hand.Send("a");
        hand.Run(0.9);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(4));
        hand.Faults.RefuseRenewals(1);
        Assert.Equal([Renewal.Lost], Renew("a"));
        Assert.Equal(2, hand.Queue.Admission.Used);

        // The one that has begun goes on before the other begins.
        hand.Time.Advance(TimeSpan.FromSeconds(0.1));
        hand.Run(30);

        Assert.Equal(["a 1"], runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void Once_it_is_settled_another_message_that_nothing_tells_from_it_is_one_of_its_own()
    {
        List<string> runs = [];
        _hand = new EngineByHand(
            async (message, _) =>
            {
                runs.Add($"{message.Id} {message.DeliveryCount}");
                var isFirst = runs.Count == 3;
                await _hand!.Sleep(message is { Id: "again", DeliveryCount: > 1 } ? 30 : isFirst ? 0.1 : 1);
                return message.DeliveryCount == 1 && !isFirst ? Settlement.Abandon : Settlement.Complete;
            });
        _hand.Start();
        _hand.Send("again");
        _hand.Run(1);

        _hand.Send("a", "a");
        _hand.Run(5);

        Assert.Equal(["again 1", "again 2", "a 1", "a 1", "a 2"], runs);
    }

    [Fact]
    public void What_a_message_that_comes_again_costs_does_not_depend_on_how_many_are_in_hand()
    {
        var few = BytesForEachOf(250);
        var many = BytesForEachOf(4000);

        Assert.InRange(many, 0, few * 2);
    }

    [Fact]
    public void A_slot_is_not_free_before_its_lease_has_ended()
    {
        List<int> held = [];
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                held.Add(_hand!.Keeper.Held);
                await _hand.Nap(message.Id == "a" ? 60 : 1, cancel);
                return Settlement.Complete;
            },
            options => options.MaxConcurrency = 1,
            options => options.HoldLimit = TimeSpan.FromSeconds(15));
        _hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.2));
        _hand.Start();

        // Near the limit the first one is given back, and its handler lets go at once: before the broker has answered.
        _hand.Send("a", "b");
        _hand.Run(20);

        Assert.True(held.Count > 1);
        Assert.All(held, leases => Assert.Equal(1, leases));
    }

    private Renewal[] Renew(string id)
    {
        var hand = _hand!;
        var outcomes = new Renewal[1];
        var delivery = Array.Find(hand.Queue.InHand.All(), journey => journey.Lease.Delivery.Message.Id == id)!.Lease.Delivery;
        Desk.Now(hand.Queue.Receiver.RenewAsync(new[] { delivery }, outcomes, default));
        return outcomes;
    }

    private static long BytesForEachOf(int messages)
    {
        var begun = 0L;
        using var hand = new EngineByHand(
            async (message, _) =>
            {
                // All of them are in hand when the first comes again.
                await Task.Yield();
                if (message.DeliveryCount > 1)
                    return Settlement.Complete;
                if (begun == 0)
                    begun = GC.GetAllocatedBytesForCurrentThread();
                return Settlement.Abandon;
            },
            options => options.MaxConcurrency = messages);
        hand.Send([.. Enumerable.Range(0, messages).Select(n => $"{n}")]);
        hand.Start();
        hand.Run(1);
        Assert.Equal(messages * 2, hand.Spy.Settled.Count);
        return (GC.GetAllocatedBytesForCurrentThread() - begun) / messages;
    }
}
