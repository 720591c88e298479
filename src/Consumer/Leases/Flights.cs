using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>Renewal requests that are under way, the one that can't be waited for much longer first. Lease thread only.</summary>
internal sealed class Flights
{
    // A request that nobody waits for any more is no hurry, and costs what it asks for.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    // Leases end in the same round of the loop, but after this look at their requests.
    private static readonly TimeSpan s_untilEnded = TimeSpan.FromMilliseconds(100);

    private readonly PriorityQueue<(RenewalBatch Batch, int Number), long> _flights = new();

    public TimeSpan Next
    {
        get
        {
            // Those that were answered stay until they are first, and are recognised by their number.
            while (_flights.TryPeek(out var first, out var at))
            {
                if (first.Batch.Number == first.Number)
                    return new TimeSpan(at);
                _flights.Dequeue();
            }

            return TimeSpan.MaxValue;
        }
    }

    public void Add(RenewalBatch batch)
    {
        if (batch.FirstRetry() is var at && at < TimeSpan.MaxValue)
            _flights.Enqueue((batch, batch.Number), at.Ticks);
    }

    /// <summary>
    /// One that was late already: it is looked at until it is answered, for it holds its messages that long; and once trust in its leases ends, for where it waits
    /// for a new connection, with all that were sent after it, it would ask by that for locks that are lost.
    /// </summary>
    public void AddAgain(RenewalBatch batch, TimeSpan now)
    {
        var latest = Times.Min(now + s_patience, Times.Max(batch.TrustedUntil, now + s_untilEnded));
        _flights.Enqueue((batch, batch.Number), Times.Min(batch.FirstRetry(), latest).Ticks);
    }

    public bool TryTakeLate(TimeSpan now, [NotNullWhen(true)] out RenewalBatch? batch)
    {
        batch = Next <= now ? _flights.Dequeue().Batch : null;
        return batch is not null;
    }
}
