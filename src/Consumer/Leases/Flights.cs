using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>Renewal requests that are under way, the one that can't be waited for much longer first. Lease thread only.</summary>
internal sealed class Flights
{
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

    public bool TryTakeLate(TimeSpan now, [NotNullWhen(true)] out RenewalBatch? batch)
    {
        batch = Next <= now ? _flights.Dequeue().Batch : null;
        return batch is not null;
    }
}
