using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Settles deliveries of one entity through the receivers that they came by. Any thread.</summary>
internal sealed class SdkSettler(Calls calls, BrokerClock clock, TimeProvider time, Sdk.ServiceBusSender sender)
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
        delivery.Copy ??= await ScheduleAsync(delivery, settlement, cancel).ConfigureAwait(false);
        if (delivery.Copy is not { } copy)
            return await TellAsync(receiver, delivery, Settlement.Abandon, cancel).ConfigureAwait(false);
        var isDone = await TellAsync(receiver, delivery, Settlement.Complete, cancel).ConfigureAwait(false);

        // The lock is lost, so the end of the lease does not call this off; what fails is done at the next try.
        if (!isDone && delivery.Unanswered is null)
            await calls.AskAsync("cancel-scheduled-message", () => sender.CancelScheduledMessageAsync(copy, CancellationToken.None), CancellationToken.None).ConfigureAwait(false);
        return isDone;
    }

    // With the story of its failures a copy may have become larger than the broker takes. Null where it is without that, too.
    private async Task<long?> ScheduleAsync(SdkDelivery delivery, Settlement settlement, CancellationToken cancel) =>
        await TryScheduleAsync(SdkEnvelope.Later(delivery, settlement), settlement.Wait, cancel).ConfigureAwait(false)
        ?? await TryScheduleAsync(SdkEnvelope.Later(delivery, Settlement.Delay(settlement.Wait)), settlement.Wait, cancel).ConfigureAwait(false);

    private async Task<long?> TryScheduleAsync(Sdk.ServiceBusMessage copy, TimeSpan wait, CancellationToken cancel)
    {
        try
        {
            return await calls.AskAsync("schedule-message", () => sender.ScheduleMessageAsync(copy, clock.After(wait), cancel), cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (problem.InnerException is Sdk.ServiceBusException { Reason: Sdk.ServiceBusFailureReason.MessageSizeExceeded })
        {
            return null;
        }
    }

    // The lock may be gone before its time because of a settlement whose answer was lost: that is as good as certain.
    private async Task<bool> TellAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        try
        {
            return await AskAsync(receiver, delivery, settlement, cancel).ConfigureAwait(false) || (delivery.Unanswered == settlement.Kind && delivery.IsLockedStill(time));
        }
        catch (Exception)
        {
            delivery.Unanswered = settlement.Kind;
            throw;
        }
    }

    private Task<bool> AskAsync(Sdk.ServiceBusReceiver receiver, SdkDelivery delivery, Settlement settlement, CancellationToken cancel) => settlement.Kind switch
    {
        SettlementKind.Complete => calls.HoldsAsync("complete", () => receiver.CompleteMessageAsync(delivery.Received, cancel), cancel),

        // Dead letters have none of their own, and what is given back comes again at once: so its lock is left to end.
        SettlementKind.DeadLetter when calls.Entity.IsSubqueue => Task.FromResult(true),
        SettlementKind.DeadLetter => calls.HoldsAsync(
            "dead-letter",
            () => receiver.DeadLetterMessageAsync(delivery.Received, SdkEnvelope.Changes(PutAside(settlement)), Cut(settlement.Reason), Cut(settlement.Description), cancel),
            cancel),
        _ => calls.HoldsAsync("abandon", () => receiver.AbandonMessageAsync(delivery.Received, SdkEnvelope.Changes(settlement.Properties), cancel), cancel),
    };

    // The broker does not note when.
    private Dictionary<string, object?> PutAside(Settlement settlement) => new(settlement.Properties) { [DeadLetterProperties.PutAsideAt] = clock.Now };

    private static string Cut(string? text) => text is { Length: > LongestText } ? text[..LongestText] : text ?? "";
}
