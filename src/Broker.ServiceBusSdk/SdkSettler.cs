using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Settles deliveries of one entity through the receivers that they came by. Any thread.</summary>
internal sealed class SdkSettler(Calls calls, Recollection recollection, BrokerClock clock, TimeProvider time, Sdk.ServiceBusSender sender)
{
    // Longer ones the client refuses.
    private const int LongestText = 4096;

    /// <summary>False where the lock was lost, or the message settled, before.</summary>
    /// <exception cref="BrokerException">The broker failed; whether it settled is unknown.</exception>
    public async ValueTask<bool> SettleAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        if (!delivery.TryBegin())
            return false;

        try
        {
            var isDone = settlement is { Kind: SettlementKind.Delay, Wait.Ticks: > 0 } && calls.Entity.CanBeSentTo
                ? await DelayAsync(receiver, delivery, settlement, cancel).ConfigureAwait(false)
                : await TellAsync(receiver, delivery, settlement, cancel).ConfigureAwait(false);
            delivery.IsOver = true;
            return isDone;
        }
        finally
        {
            delivery.End();
        }
    }

    /// <summary>Puts aside what nobody can read. Where that fails, its lock ends and it comes again.</summary>
    public async Task PutAsideAsync(Sdk.ServiceBusReceiver receiver, Sdk.ServiceBusReceivedMessage unread)
    {
        const string Why = "Its body is no data, and Azure.Messaging.ServiceBus hands over nothing else; a worker with Worker__Broker=ServiceBus reads it.";
        try
        {
            await calls.AskAsync("dead-letter", () => receiver.DeadLetterMessageAsync(unread, "UnreadableBody", Why, CancellationToken.None), CancellationToken.None).ConfigureAwait(false);
        }
        catch (BrokerException)
        {
            // It is still the broker's.
        }
    }

    // The broker has the copy before it may forget the original. The copy is called off only where it is certain that the original is still there.
    private async Task<bool> DelayAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        if (delivery.Copy is null && await ScheduleAsync(delivery, settlement, cancel).ConfigureAwait(false) is { } refused)
            return await GiveBackAsync(receiver, delivery, settlement, refused, cancel).ConfigureAwait(false);
        var isDone = await TellAsync(receiver, delivery, Settlement.Complete, cancel).ConfigureAwait(false);

        // The lock is lost, so the end of the lease does not call this off; what fails is done at the next try.
        if (!isDone && delivery is { Unanswered: null, Copy: { } copy })
            await calls.AskAsync("cancel-scheduled-message", () => sender.CancelScheduledMessageAsync(copy, CancellationToken.None), CancellationToken.None).ConfigureAwait(false);
        return isDone;
    }

    // With the story of its failures a copy may have become larger than the broker takes. Why there is none, or null.
    private async Task<BrokerException?> ScheduleAsync(SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        var refused = await TryScheduleAsync(delivery, settlement, cancel).ConfigureAwait(false);
        return refused is not null && IsTooLarge(refused) ? await TryScheduleAsync(delivery, Settlement.Delay(settlement.Wait), cancel).ConfigureAwait(false) : refused;
    }

    private async Task<BrokerException?> TryScheduleAsync(SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        var copy = SdkEnvelope.Later(delivery, settlement);
        try
        {
            delivery.Copy = await calls.AskAsync("schedule-message", () => sender.ScheduleMessageAsync(copy, clock.After(settlement.Wait), cancel), cancel).ConfigureAwait(false);
            return null;
        }
        catch (BrokerException problem) when (Calls.RefusalOf(problem) is { IsForNow: false })
        {
            return problem;
        }
    }

    // At once, and counted: to try in place until the lock ends would hold a slot for nothing, and what is lost with a session is not even counted.
    private Task<bool> GiveBackAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, BrokerException refused, CancellationToken cancel)
    {
        if (IsTooLarge(refused))
            return TellAsync(receiver, delivery, Settlement.Abandon, cancel);

        delivery.NoteNotDelayed(refused.Message);
        return TellAsync(receiver, delivery, Settlement.Abandon.With(settlement.Properties), cancel);
    }

    private static bool IsTooLarge(BrokerException refused) => Calls.RefusalOf(refused)?.Condition == Conditions.MessageTooLarge;

    private async Task<bool> TellAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        try
        {
            return await AskAsync(receiver, delivery, settlement, cancel).ConfigureAwait(false) || WasOurs(delivery, settlement.Kind);
        }
        catch (BrokerException refused) when (!refused.IsTransient && Conditions.IsOfEntity(Calls.RefusalOf(refused)?.Condition))
        {
            // The message is here, so we were let in. Somebody may be mending that while the lock lasts.
            throw refused.ForNow();
        }
        catch (Exception problem) when (!IsRefused(problem))
        {
            delivery.Unanswered = settlement.Kind;
            throw;
        }
    }

    // The client calls its own patience a time-out as well, and knows as little by then as we do.
    private static bool IsRefused(Exception problem) =>
        problem is BrokerException told && Calls.RefusalOf(told) is { Condition: not Conditions.Timeout };

    // The lock is gone before its time, and a settlement whose answer was lost may have ended it. That is as good as certain; should it come again, it was not.
    private bool WasOurs(SdkDelivery delivery, SettlementKind settlement)
    {
        if (delivery.Unanswered != settlement || !delivery.IsLockedStill(time))
            return false;
        if (settlement == SettlementKind.Complete)
            recollection.NoteCompleted(delivery);
        return true;
    }

    private Task<bool> AskAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel) => settlement.Kind switch
    {
        SettlementKind.Complete => calls.HoldsAsync("complete", () => receiver.CompleteMessageAsync(delivery.Received, cancel), cancel),

        // Dead letters have none of their own, and what is given back comes again at once: so its lock is left to end.
        SettlementKind.DeadLetter when calls.Entity.IsSubqueue => Task.FromResult(true),
        SettlementKind.DeadLetter => calls.HoldsAsync(
            "dead-letter",
            () => receiver.DeadLetterMessageAsync(delivery.Received, SdkEnvelope.Changes(PutAside(delivery, settlement)), Cut(settlement.Reason), Cut(settlement.Description), cancel),
            cancel),
        _ => calls.HoldsAsync("abandon", () => receiver.AbandonMessageAsync(delivery.Received, SdkEnvelope.Changes(settlement.Properties), cancel), cancel),
    };

    // The broker does not note when. Whoever sends it again with all its properties would else have it begin where it died.
    private Dictionary<string, object?> PutAside(SdkDelivery delivery, Settlement settlement)
    {
        var changes = new Dictionary<string, object?>(settlement.Properties) { [DeadLetterProperties.PutAsideAt] = clock.Now };
        if (delivery.Received.ApplicationProperties.ContainsKey(PropertyNames.EarlierDeliveries))
            changes[PropertyNames.EarlierDeliveries] = 0;
        return changes;
    }

    private static string Cut(string? text) => text is { Length: > LongestText } ? text[..LongestText] : text ?? "";
}
