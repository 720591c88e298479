namespace Holdfast.Scheduling;

/// <summary>
/// The right to run items: there are as many seats as threads may run at once. A thread that blocks loses its seat to a spare one.
/// </summary>
internal sealed class Seat(int index)
{
    private IThreadPoolWorkItem? _next;
    private long _nextRank;

    public ulong Bit { get; } = 1UL << index;

    public AutoResetEvent Wake { get; } = new(false);

    public bool HasNext => Volatile.Read(ref _next) is not null;

    /// <summary>The rank of what is kept next; only meaningful to the thread that keeps it.</summary>
    public long NextRank => _nextRank;

    /// <summary>Keeps the better of two items for this seat's own next turn, past the shared queue, with a full fence; returns the other one, if any.</summary>
    public IThreadPoolWorkItem? KeepBetter(IThreadPoolWorkItem item, ref long rank)
    {
        if (HasNext && _nextRank <= rank)
            return item;

        var other = TakeNext();
        (rank, _nextRank) = (_nextRank, rank);
        Interlocked.Exchange(ref _next, item);
        return other;
    }

    /// <summary>Takes what is kept next, from any thread.</summary>
    public IThreadPoolWorkItem? TakeNext() => HasNext ? Interlocked.Exchange(ref _next, null) : null;
}
