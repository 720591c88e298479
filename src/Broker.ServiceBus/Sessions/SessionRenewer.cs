namespace Holdfast.Broker.ServiceBus;

/// <summary>Renews each session once, whatever is in hand of it. Any thread; it needs none of the pool's.</summary>
internal static class SessionRenewer
{
    public static async ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, Func<HeldSession, Task<Renewal>> renew)
    {
        var renewals = new Dictionary<HeldSession, Task<Renewal>>();
        foreach (var delivery in due.Span)
        {
            if (!renewals.ContainsKey(SessionOf(delivery)))
                renewals.Add(SessionOf(delivery), renew(SessionOf(delivery)));
        }

        await ((Task)Task.WhenAll(renewals.Values)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        for (var i = 0; i < due.Length; i++)
            outcomes.Span[i] = OutcomeOf((ServiceBusDelivery)due.Span[i], renewals[SessionOf(due.Span[i])]);

        // Where some are known, the others are unknown; an exception would say that of all.
        if (renewals.Count > 0 && renewals.Values.All(renewal => !renewal.IsCompletedSuccessfully))
            await renewals.Values.First().ConfigureAwait(false);
    }

    private static Renewal OutcomeOf(ServiceBusDelivery delivery, Task<Renewal> renewal) =>
        delivery.IsOver ? Renewal.Lost
        : renewal.IsCompletedSuccessfully ? renewal.Result
        : Renewal.Unknown;

    private static HeldSession SessionOf(Delivery delivery) => ((ServiceBusDelivery)delivery).HeldSession!;
}
