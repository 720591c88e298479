using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>All held leases that nothing is under way for, the one to be looked at next first. Lease thread only.</summary>
internal sealed class Deadlines
{
    private const int FewEnough = 1024;

    private readonly PriorityQueue<Lease, long> _leases = new();

    public TimeSpan Next => _leases.TryPeek(out _, out var at) ? new TimeSpan(at) : TimeSpan.MaxValue;

    public void Add(Lease lease) => _leases.Enqueue(lease, lease.LookAt.Ticks);

    public bool TryTakeDue(TimeSpan now, [NotNullWhen(true)] out Lease? lease)
    {
        lease = Next <= now ? _leases.Dequeue() : null;
        return lease is not null;
    }

    /// <summary>Leases that are over stay until their time comes, unless they are most of all that is here.</summary>
    public void Trim(int held)
    {
        if (_leases.Count < FewEnough || _leases.Count / 2 < held)
            return;

        var kept = _leases.UnorderedItems.Where(entry => !entry.Element.IsOver).ToArray();
        _leases.Clear();
        _leases.EnqueueRange(kept);
    }
}
