using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>
/// All held leases that nothing is under way for, the one to be looked at next first. Only those of the next few milliseconds are kept in order;
/// the others lie unsorted, in a list for each such period: among a million, putting one in its place is mostly waiting for memory. Lease thread only.
/// </summary>
internal sealed class Deadlines
{
    private const int FewEnough = 1024;

    // 26 ms, in ticks: short enough that what is sorted stays in the cache.
    private const int BitsOfPeriod = 18;

    private readonly PriorityQueue<Lease, long> _soon = new();
    private readonly PriorityQueue<List<Lease>, long> _later = new();
    private readonly Dictionary<long, List<Lease>> _byPeriod = [];
    private readonly Stack<List<Lease>> _spare = new();
    private long _sortedThrough = long.MinValue;
    private int _count;

    public TimeSpan Next => _soon.TryPeek(out _, out var at) ? new TimeSpan(at) : TimeSpan.MaxValue;

    public void Add(Lease lease)
    {
        _count++;
        Put(lease);
        SortNext();
    }

    public bool TryTakeDue(TimeSpan now, [NotNullWhen(true)] out Lease? lease)
    {
        lease = null;
        if (Next > now || !_soon.TryDequeue(out lease, out _))
            return false;

        _count--;
        SortNext();
        return true;
    }

    /// <summary>Leases that are over stay until their time comes, unless they are most of all that is here, or their messages take too much memory.</summary>
    public void Trim(int held, bool areHeavy = false)
    {
        if (!areHeavy && (_count < FewEnough || _count / 2 < held))
            return;

        var kept = _soon.UnorderedItems.Where(entry => !entry.Element.IsOver).ToArray();
        _soon.Clear();
        _soon.EnqueueRange(kept);
        foreach (var leases in _byPeriod.Values)
            leases.RemoveAll(static lease => lease.IsOver);
        _count = _soon.Count + _byPeriod.Values.Sum(static leases => leases.Count);
        SortNext();
    }

    private void Put(Lease lease)
    {
        var at = lease.LookAt.Ticks;
        if (at <= _sortedThrough)
            _soon.Enqueue(lease, at);
        else
            InPeriod(at >> BitsOfPeriod).Add(lease);
    }

    private List<Lease> InPeriod(long period)
    {
        if (_byPeriod.TryGetValue(period, out var leases))
            return leases;

        leases = _spare.TryPop(out var spare) ? spare : [];
        _byPeriod.Add(period, leases);
        _later.Enqueue(leases, period);
        return leases;
    }

    // So that the first of all is always among the sorted. Trust that came late may have moved a lease to another period meanwhile.
    private void SortNext()
    {
        while (_soon.Count == 0 && _later.TryDequeue(out var leases, out var period))
        {
            _byPeriod.Remove(period);
            _sortedThrough = (period << BitsOfPeriod) | ((1L << BitsOfPeriod) - 1);
            foreach (var lease in leases)
                Put(lease);
            leases.Clear();
            _spare.Push(leases);
        }
    }
}
