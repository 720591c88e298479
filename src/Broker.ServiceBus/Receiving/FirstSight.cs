namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How often each dead letter had been delivered when this process saw it first: it brings along the count that it died of, which must not count against
/// whoever handles it now. Bounded; any thread.
/// </summary>
internal sealed class FirstSight
{
    // Far more than are in hand at once: who is forgotten begins anew, but not before its lock has ended once more.
    private const int Most = 10_000;

    private readonly Lock _gate = new();
    private readonly Remembered<(long Number, DateTimeOffset EnqueuedAt), int> _first = new(Most);

    /// <summary>Which delivery since then it is, from 1. By number and time, for a queue that is made anew begins to count anew.</summary>
    public int Tries(long number, DateTimeOffset enqueuedAt, int deliveryCount)
    {
        lock (_gate)
        {
            if (_first.TryGet((number, enqueuedAt), out var first))
                return deliveryCount - first + 1;

            _first.Set((number, enqueuedAt), deliveryCount);
            return 1;
        }
    }
}
