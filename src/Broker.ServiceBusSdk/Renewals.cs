namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Asks for each lock by a request of its own, all at once: Microsoft's client has none for several.</summary>
internal static class Renewals
{
    public static async ValueTask RenewAsync<T>(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, Func<Delivery, T> lockOf, Func<T, Task<bool>> renew)
        where T : notnull
    {
        var asked = new Dictionary<T, Task<bool>>();
        foreach (var delivery in due.Span)
        {
            var held = lockOf(delivery);
            if (!asked.ContainsKey(held))
                asked.Add(held, renew(held));
        }

        await ((Task)Task.WhenAll(asked.Values)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        for (var i = 0; i < due.Length; i++)
            outcomes.Span[i] = OutcomeOf((SdkDelivery)due.Span[i], asked[lockOf(due.Span[i])]);

        // Where some are known, the others are unknown; an exception would say that of all.
        if (asked.Count > 0 && asked.Values.All(answer => !answer.IsCompletedSuccessfully))
            await asked.Values.First().ConfigureAwait(false);
    }

    private static Renewal OutcomeOf(SdkDelivery delivery, Task<bool> answer) =>
        delivery.IsOver ? Renewal.Lost
        : !answer.IsCompletedSuccessfully ? Renewal.Unknown
        : answer.Result ? Renewal.Renewed
        : Renewal.Lost;
}
