using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Scheduling;

/// <summary>The Process lane's queue: the least rank first, and one turn in eight, but for what is finished, to those that have waited too long. Any thread.</summary>
internal sealed class RankedQueue
{
    private const int PicksPerAgedOne = 8;
    private const int FewStrays = 64;

    // Held for a heap's few steps only. Measured against Monitor with two workers and a poster: a tenth less CPU for each turn,
    // less than half of the sleeps, and one yield of the CPU in 2,000 turns.
    private readonly Lock _gate = new();

    // A strand has one place here for as long as it has a backlog. Where it was taken by another way than its rank the place stays behind, astray.
    private readonly PriorityQueue<Strand, long> _ranked = new();

    // Those of them that have waited for too long, the longest first, as they were when the last period ended: some have had a turn since.
    private readonly Queue<Strand> _aged = new();
    private long _best = Rank.Last;
    private int _count;
    private int _lined;
    private int _begun;
    private int _age;
    private int _picks;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether anything of a strand waits here that has had its first turn.</summary>
    public bool HasBegun => Volatile.Read(ref _begun) > 0;

    /// <summary>The least rank that waits here; whatever ranks before it would be next.</summary>
    public long Best => Volatile.Read(ref _best);

    public void Enqueue(Strand strand, in Work work)
    {
        lock (_gate)
        {
            if (strand.Backlog.IsEmpty)
                Line(strand);
            strand.Backlog.Add(work);
            _count++;
        }
    }

    /// <summary>Puts back what a worker had kept: it came before all that the strand has here.</summary>
    public void Return(Strand strand, in Work work)
    {
        lock (_gate)
        {
            if (strand.Backlog.IsEmpty)
                Line(strand);
            strand.Backlog.Return(work);
            _count++;
        }
    }

    public bool TryDequeue(out Work work)
    {
        work = default;
        if (Count == 0)
            return false;

        lock (_gate)
            return TryDequeueStrand(out var strand) && TryTake(strand, out work);
    }

    /// <summary>Takes the next of those that have had their first turn. Looks at all that there is.</summary>
    public bool TryDequeueBegun(out Work work)
    {
        lock (_gate)
        {
            work = default;
            if (!HasBegun)
                return false;

            var aged = ++_picks % PicksPerAgedOne == 0 ? _aged.FirstOrDefault(strand => strand.IsLinedBegun && IsAged(strand)) : null;
            return TryTake(aged ?? Lined.Where(queued => queued.Element.IsLinedBegun).MinBy(queued => queued.Priority).Element, out work);
        }
    }

    /// <summary>Takes what this strand has here, whatever ranks before it.</summary>
    public bool TryDequeue(Strand strand, out Work work)
    {
        lock (_gate)
            return TryTake(strand, out work);
    }

    /// <summary>Called once for each ageing period: what was here before the last call has waited for at least a whole one.</summary>
    public void Age()
    {
        lock (_gate)
        {
            _age++;
            _aged.Clear();
            foreach (var (strand, _) in Lined.Where(queued => IsAged(queued.Element)).OrderBy(queued => queued.Element.QueuedAtAge).ThenBy(queued => queued.Priority))
                _aged.Enqueue(strand);
            NoteBest();
        }
    }

    private void Line(Strand strand)
    {
        strand.IsLinedBegun = strand.HasStarted;
        if (strand.IsLinedBegun)
            _begun++;
        var rank = strand.Rank;
        (strand.QueuedAtAge, strand.LinedRank) = (_age, rank);
        _lined++;
        if (_ranked.Count > (2 * _lined) + FewStrays)
            ClearStrays();
        _ranked.Enqueue(strand, rank);
        if (rank < _best)
            Volatile.Write(ref _best, rank);
    }

    private bool TryTake(Strand strand, out Work work)
    {
        work = default;
        if (strand.Backlog.IsEmpty)
            return false;

        Left(strand);
        work = strand.Backlog.Take(strand);
        _count--;

        // Here, so that whatever of it comes meanwhile is known to be of one that has begun.
        strand.Serve();

        // It goes back before its turn, that another thread can run its next task meanwhile.
        if (!strand.Backlog.IsEmpty)
            Line(strand);

        NoteBest();
        return true;
    }

    private void Left(Strand strand)
    {
        _lined--;
        if (strand.IsLinedBegun)
            _begun--;
    }

    // Who has aged keeps its rank as well: it may be the next of all.
    private bool TryDequeueStrand([NotNullWhen(true)] out Strand? strand)
    {
        if (HasAged && !IsFirstNext && ++_picks % PicksPerAgedOne == 0)
            return _aged.TryDequeue(out strand);

        return TryPeek(out strand, out _) && _ranked.TryDequeue(out strand, out _);
    }

    private bool TryPeek([NotNullWhen(true)] out Strand? strand, out long rank)
    {
        while (_ranked.TryPeek(out strand, out rank) && !IsLined(strand, rank))
            _ranked.Dequeue();
        return strand is not null;
    }

    private void ClearStrays()
    {
        (Strand, long)[] lined = [.. Lined];
        _ranked.Clear();
        _ranked.EnqueueRange(lined);
    }

    // A strand would be here twice that has come again by the rank of a place astray.
    private IEnumerable<(Strand Element, long Priority)> Lined => _ranked.UnorderedItems.Where(queued => IsLined(queued.Element, queued.Priority)).Distinct();

    private static bool IsLined(Strand strand, long rank) => !strand.Backlog.IsEmpty && strand.LinedRank == rank;

    private bool IsFirstNext => TryPeek(out _, out var rank) && rank == Rank.First;

    private bool HasAged
    {
        get
        {
            while (_aged.TryPeek(out var strand))
            {
                if (IsAged(strand))
                    return true;
                _aged.Dequeue();
            }

            return false;
        }
    }

    private bool IsAged(Strand strand) => !strand.Backlog.IsEmpty && _age - strand.QueuedAtAge > 1;

    // With aged strands about nobody that is not finished may skip the queue: they would never get their turn.
    private void NoteBest() =>
        Volatile.Write(ref _best, HasAged && !IsFirstNext ? Rank.Aged : TryPeek(out _, out var rank) ? rank : Rank.Last);
}
