namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Renews many locks by one request for each partition that the entity has: the broker takes no others together. A refusal does not tell which of them is lost:
/// then quarters of them are asked for, so that a lost one costs its neighbours nothing but time. Any thread; it needs none of the pool's.
/// </summary>
internal sealed class Renewer(Func<Guid[], CancellationToken, ValueTask<DateTimeOffset[]?>> renew, BrokerClock clock, TimeProvider time)
{
    // A lost lock is found by as many requests as halves would take, and in half the time.
    private const int Parts = 4;

    public async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        var open = new List<int>(due.Length);
        for (var i = 0; i < due.Length; i++)
        {
            var isOver = ((ServiceBusDelivery)due.Span[i]).IsOver;
            outcomes.Span[i] = isOver ? Renewal.Lost : Renewal.Unknown;
            if (!isOver)
                open.Add(i);
        }

        if (open.Count == 0)
            return;

        var partitions = open.GroupBy(i => Partition.Of(((ServiceBusDelivery)due.Span[i]).SequenceNumber)).Select(partition => partition.ToArray());

        // Where some are known, the others are unknown; an exception would say that of all.
        if (await AskEachAsync(partitions, due, outcomes, cancel).ConfigureAwait(false) is { } problem && open.TrueForAll(i => outcomes.Span[i] == Renewal.Unknown))
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(problem);
    }

    // All at once; returns what one of them failed for.
    private async Task<Exception?> AskEachAsync(IEnumerable<int[]> parts, ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        var problems = await Task.WhenAll(parts.Select(part => AskAsync(part, due, outcomes, cancel))).ConfigureAwait(false);
        return Array.Find(problems, problem => problem is not null);
    }

    private async Task<Exception?> AskAsync(int[] open, ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        try
        {
            var askedAt = time.GetTimestamp();
            var until = await renew(TokensOf(open, due.Span), cancel).ConfigureAwait(false);
            if (until is null && open.Length > 1)
                return await AskEachAsync(open.Chunk((open.Length + Parts - 1) / Parts), due, outcomes, cancel).ConfigureAwait(false);

            for (var n = 0; n < open.Length; n++)
            {
                outcomes.Span[open[n]] = until is null ? Renewal.Lost : Renewal.Renewed;
                if (until is not null && due.Span[open[n]] is ServiceBusDelivery renewed)
                    renewed.Renewed(clock, askedAt, until[n]);
            }

            return null;
        }
        catch (Exception problem)
        {
            return problem;
        }
    }

    private static Guid[] TokensOf(int[] open, ReadOnlySpan<Delivery> due)
    {
        var tokens = new Guid[open.Length];
        for (var i = 0; i < open.Length; i++)
            tokens[i] = ((ServiceBusDelivery)due[open[i]]).LockToken;
        return tokens;
    }
}
