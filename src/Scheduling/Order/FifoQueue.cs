using System.Collections.Concurrent;

namespace Holdfast.Scheduling;

/// <summary>The Lease and the Receive lane's queue: first in, first out. Any thread.</summary>
internal sealed class FifoQueue
{
    // What posters and workers pass to and fro is what a post costs. So a place is small, several to a cache line, and there is no count beside the queue,
    // though it is looked at before every turn: with one, and with the work itself in a place, a post from another thread took three times as long.
    // Who comes in the middle of another's enqueue waits for its end, as he would at a lock, but for a few instructions only.
    private readonly ConcurrentQueue<object> _queue = new();

    public bool IsEmpty => _queue.IsEmpty;

    public int Count => _queue.Count;

    /// <summary>Adds work, with a full fence behind it.</summary>
    public void Enqueue(Action rest, Postmark posted)
    {
        _queue.Enqueue(posted.IsMeasured ? new Work(null, null, rest, posted) : rest);
        Interlocked.MemoryBarrier();
    }

    public bool TryDequeue(out Work work)
    {
        if (!_queue.TryDequeue(out var next))
        {
            work = default;
            return false;
        }

        work = next is Action rest ? new Work(null, null, rest, Postmark.None) : (Work)next;
        return true;
    }
}
