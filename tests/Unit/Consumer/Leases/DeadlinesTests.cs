using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class DeadlinesTests : IDisposable
{
    private readonly KeeperByHand _hand = new();
    private readonly Deadlines _deadlines = new();

    public void Dispose() => _hand.Dispose();

    [Fact]
    public void The_lease_to_be_looked_at_first_comes_first_and_none_before_its_time()
    {
        var late = Add(20);
        var early = Add(10);

        Assert.Equal(TimeSpan.FromSeconds(5), _deadlines.Next);
        Assert.False(_deadlines.TryTakeDue(TimeSpan.FromSeconds(4.9), out _));
        Assert.True(_deadlines.TryTakeDue(TimeSpan.FromSeconds(10), out var first));
        Assert.True(_deadlines.TryTakeDue(TimeSpan.FromSeconds(10), out var second));
        Assert.Equal([early, late], [first, second]);
        Assert.Equal(TimeSpan.MaxValue, _deadlines.Next);
    }

    [Fact]
    public void Leases_that_ended_are_let_go_once_they_are_most_of_all()
    {
        var leases = Enumerable.Range(0, 2000).Select(_ => Add(10)).ToArray();
        foreach (var ended in leases.Skip(500))
            ended.TryMove(LeaseState.Held, LeaseState.Settled);

        _deadlines.Trim(held: 500);

        Assert.Equal(500, TakeAll());
    }

    [Fact]
    public void While_most_are_held_those_that_ended_stay_for_their_time()
    {
        var leases = Enumerable.Range(0, 2000).Select(_ => Add(10)).ToArray();
        foreach (var ended in leases.Skip(1500))
            ended.TryMove(LeaseState.Held, LeaseState.Settled);

        _deadlines.Trim(held: 1500);

        Assert.Equal(2000, TakeAll());
    }

    private Lease Add(double lockSeconds)
    {
        var lease = new Lease(_hand.Book, _hand.NewDelivery(lockSeconds), TimeSpan.Zero, spread: 0);
        _deadlines.Add(lease);
        return lease;
    }

    private int TakeAll()
    {
        var count = 0;
        while (_deadlines.TryTakeDue(TimeSpan.FromHours(1), out _))
            count++;
        return count;
    }
}
