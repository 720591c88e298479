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

    [Theory]
    [InlineData(0.05)]
    [InlineData(2)]
    [InlineData(600)]
    public void Among_many_too_the_one_to_be_looked_at_first_comes_first(double longestLock)
    {
        var random = new Random(1);
        var inOrder = new SortedSet<(TimeSpan At, int Number)>();
        var now = TimeSpan.Zero;
        for (var step = 0; step < 20_000; step++)
        {
            if (random.Next(3) > 0)
                inOrder.Add((Add(random.NextDouble() * longestLock, at: now).LookAt, step));
            else if (inOrder.Count > 0 && random.Next(4) > 0)
                now = Take();
        }

        while (inOrder.Count > 0)
            Take();
        Assert.Equal(TimeSpan.MaxValue, _deadlines.Next);

        TimeSpan Take()
        {
            var first = inOrder.Min;
            inOrder.Remove(first);
            Assert.Equal(first.At, _deadlines.Next);
            Assert.True(_deadlines.TryTakeDue(first.At, out var lease));
            Assert.Equal(first.At, lease.LookAt);
            return first.At;
        }
    }

    [Fact]
    public void A_lease_whose_trust_grew_meanwhile_does_not_hide_one_that_is_due_before_it()
    {
        var soon = Add(2);
        var grown = Add(10);
        var first = Add(30);
        grown.Extend(TimeSpan.FromMinutes(10), spread: 0, isAwaited: true);

        Assert.Equal([soon, first, grown], [Take(1), Take(15), Take(1000)]);

        Lease? Take(double seconds)
        {
            var now = TimeSpan.FromSeconds(seconds);
            Assert.True(_deadlines.Next <= now);
            return _deadlines.TryTakeDue(now, out var lease) ? lease : null;
        }
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
    public void They_are_let_go_again_and_again()
    {
        for (var round = 0; round < 3; round++)
        {
            var leases = Enumerable.Range(0, 1100).Select(_ => Add(10)).ToArray();
            foreach (var ended in leases.Skip(100))
                ended.TryMove(LeaseState.Held, LeaseState.Settled);
            _deadlines.Trim(held: 100 * (round + 1));
        }

        Assert.Equal(300, TakeAll());
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

    private Lease Add(double lockSeconds, TimeSpan at = default)
    {
        var lease = new Lease(_hand.Book, _hand.NewDelivery(lockSeconds), at, spread: 0);
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
