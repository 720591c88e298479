using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>
/// Leases on their way to the lease thread. They need no look before their first renewal, so it is woken for the fewest. Added by any thread, taken by that one.
/// </summary>
internal sealed class NewLeases
{
    // These bound how many that ended long ago wait to be taken: until then they are no garbage, and each collection copies them.
    private static readonly TimeSpan s_longestUntaken = TimeSpan.FromMilliseconds(100);
    private const int MostUntaken = 1024;

    private readonly ConcurrentQueue<Lease> _leases = new();
    private long _nextLook = long.MaxValue;
    private long _numbered;

    /// <summary>The number of the next lease.</summary>
    public long NextNumber() => Interlocked.Increment(ref _numbered);

    /// <summary>True where the lease thread must be woken for it.</summary>
    public bool Add(Lease lease)
    {
        _leases.Enqueue(lease);
        Interlocked.MemoryBarrier();
        return lease.LookAt.Ticks < Volatile.Read(ref _nextLook) || lease.Number % MostUntaken == 0;
    }

    public bool TryTake([NotNullWhen(true)] out Lease? lease) => _leases.TryDequeue(out lease);

    /// <summary>When the lease thread is to look again: when it has to anyway, or earlier for the sake of what comes until then.</summary>
    public TimeSpan NextLook(TimeSpan now, TimeSpan next, bool areAnyHeld)
    {
        // Whoever adds a lease looks at this after the lease is in sight; this looks for leases after it is in sight itself.
        Volatile.Write(ref _nextLook, next.Ticks);
        Interlocked.MemoryBarrier();
        if (!_leases.IsEmpty)
            return now;
        return areAnyHeld && now + s_longestUntaken < next ? now + s_longestUntaken : next;
    }
}
