using System.Collections.Concurrent;

namespace Holdfast.Scheduling;

/// <summary>The Lease and the Receive lane's queue: first in, first out. Any thread.</summary>
internal sealed class FifoQueue
{
    private readonly ConcurrentQueue<Work> _queue = new();

    // Looked at before every turn, and nearly always zero: cheaper to read than the queue itself.
    private int _count;

    public int Count => Math.Max(0, Volatile.Read(ref _count));

    /// <summary>Adds work, with a full fence behind it.</summary>
    public void Enqueue(in Work work)
    {
        _queue.Enqueue(work);
        Interlocked.Increment(ref _count);
    }

    public bool TryDequeue(out Work work)
    {
        work = default;
        if (Count == 0 || !_queue.TryDequeue(out work))
            return false;

        Interlocked.Decrement(ref _count);
        return true;
    }
}
