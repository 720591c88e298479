namespace Holdfast.Broker.ServiceBus;

/// <summary>Asks for each lock by a request of its own, once, whatever is in hand under it, and for all at once. Any thread; it needs none of the pool's.</summary>
internal static class LockRenewals
{
    public static async ValueTask RenewAsync<TLock>(
        ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, Func<Delivery, TLock> lockOf, Func<Delivery, bool> isOver, Func<TLock, Task<Renewal>> renew)
        where TLock : notnull
    {
        var asked = new Dictionary<TLock, Task<Renewal>>();
        foreach (var delivery in due.Span)
        {
            var held = lockOf(delivery);
            if (!asked.ContainsKey(held))
                asked.Add(held, renew(held));
        }

        await ((Task)Task.WhenAll(asked.Values)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        for (var i = 0; i < due.Length; i++)
        {
            var (delivery, answer) = (due.Span[i], asked[lockOf(due.Span[i])]);
            outcomes.Span[i] = isOver(delivery) ? Renewal.Lost : answer.IsCompletedSuccessfully ? answer.Result : Renewal.Unknown;
        }

        // Where some are known, the others are unknown; an exception would say that of all.
        if (asked.Count > 0 && asked.Values.All(answer => !answer.IsCompletedSuccessfully))
            await asked.Values.First().ConfigureAwait(false);
    }
}
