using Holdfast.Broker;

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
}
