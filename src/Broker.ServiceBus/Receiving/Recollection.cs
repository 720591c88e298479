namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// The messages of one queue that must have been completed by a settlement whose answer was lost, for their locks were gone before their time.
/// Where one comes again, something else had ended its lock: its work is done all the same. Bounded; any thread.
/// </summary>
internal sealed class Recollection
{
    private const int Most = 1000;

    private readonly Lock _gate = new();
    private readonly Remembered<(long Number, DateTimeOffset EnqueuedAt), bool> _completed = new(Most);
    private volatile bool _isEmpty = true;

    public void NoteCompleted(LockedDelivery delivery)
    {
        lock (_gate)
        {
            _isEmpty = false;
            _completed.Set((delivery.SequenceNumber, delivery.EnqueuedAt), true);
        }
    }

    /// <summary>By both, for a queue that is made anew begins to count anew.</summary>
    public bool WasCompleted(long number, DateTimeOffset enqueuedAt)
    {
        if (_isEmpty)
            return false;
        lock (_gate)
            return _completed.TryGet((number, enqueuedAt), out _);
    }
}
