using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Scheduling;

/// <summary>The Process lane's queue: the least rank first, and one item in eight to those that have waited too long. Any thread.</summary>
internal sealed class RankedQueue
{
    private const int PicksPerAgedOne = 8;

    // Monitor: measured to spin the least of all locks here, and held for a heap's few steps only.
    private readonly object _gate = new();
    private readonly PriorityQueue<(IThreadPoolWorkItem Item, int Age), long> _ranked = new();
    private readonly Queue<IThreadPoolWorkItem> _aged = new();
    private long _best = Rank.Last;
    private int _count;
    private int _age;
    private int _picks;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether an item of this rank would be taken before all that is queued here.</summary>
    public bool WouldBeNext(long rank) => rank < Volatile.Read(ref _best);

    public void Enqueue(IThreadPoolWorkItem item, long rank)
    {
        lock (_gate)
        {
            _ranked.Enqueue((item, _age), rank);
            if (rank < _best)
                Volatile.Write(ref _best, rank);
            _count++;
        }
    }

    public bool TryDequeue([NotNullWhen(true)] out IThreadPoolWorkItem? item)
    {
        item = null;
        if (Count == 0)
            return false;

        lock (_gate)
        {
            if (_aged.Count > 0 && (_ranked.Count == 0 || ++_picks % PicksPerAgedOne == 0))
                item = _aged.Dequeue();
            else if (_ranked.TryDequeue(out var entry, out _))
                item = entry.Item;
            else
                return false;

            _count--;
            NoteBest();
            return true;
        }
    }

    /// <summary>Called once for each ageing period: what was here before the last call has waited for at least a whole one.</summary>
    public void Age()
    {
        lock (_gate)
        {
            _age++;
            if (!_ranked.UnorderedItems.Any(queued => IsOld(queued.Element.Age)))
                return;

            var kept = new List<((IThreadPoolWorkItem, int), long)>(_ranked.Count);
            while (_ranked.TryDequeue(out var entry, out var rank))
            {
                if (IsOld(entry.Age))
                    _aged.Enqueue(entry.Item);
                else
                    kept.Add((entry, rank));
            }

            _ranked.EnqueueRange(kept);
            NoteBest();
        }
    }

    private bool IsOld(int age) => _age - age > 1;

    // With aged items about nobody may skip the queue: they would never get their turn.
    private void NoteBest() =>
        Volatile.Write(ref _best, _aged.Count > 0 ? long.MinValue : _ranked.TryPeek(out _, out var rank) ? rank : Rank.Last);
}
