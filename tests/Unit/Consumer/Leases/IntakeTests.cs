using System.Runtime.CompilerServices;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class IntakeTests : IDisposable
{
    private readonly KeeperByHand _hand = new();

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void Leases_that_ended_are_let_go_in_a_rush_before_the_next_look_is_due()
    {
        // Held all the while, so that the next look is for 100 ms later.
        var lasting = _hand.Hold();
        _hand.Run(0);

        var ended = HoldAndSettle(3000);
        GC.Collect();

        Assert.InRange(ended.Count(lease => lease.TryGetTarget(out _)), 0, 1024);
        Assert.Equal(LeaseState.Held, lasting.State);
    }

    // A method of its own, whose locals are gone when it returns.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private List<WeakReference<Lease>> HoldAndSettle(int count)
    {
        List<WeakReference<Lease>> ended = [];
        for (var i = 0; i < count; i++)
        {
            var lease = _hand.Hold();
            Assert.True(_hand.Keeper.TryBeginSettling(lease));
            _hand.Keeper.Settled(lease);
            ended.Add(new(lease));
            _hand.Lanes.RunUntilIdle();
        }

        return ended;
    }
}
