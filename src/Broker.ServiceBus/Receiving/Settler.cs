using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Settles deliveries: on the link that they came by while it lives, else by the lock's token, so that a lost connection loses no lease. Any thread;
/// it completes where the broker's answer arrives.
/// </summary>
internal sealed class Settler(ManagementNode node, Recollection recollection, Problems problems, BrokerClock clock, TimeProvider time)
{
    // What is settled has half of its lock left as a rule, and is not renewed meanwhile: what its link leaves of that has to do for the token.
    private const double PartForLink = 0.25;

    private static readonly Modified s_abandon = new();

    private readonly LinkPatience _patience = new(time);

    /// <summary>False where the lock was lost, or the message settled, before.</summary>
    /// <exception cref="BrokerException">The broker failed; whether it settled is unknown.</exception>
    public ValueTask<bool> SettleAsync(ServiceBusDelivery delivery, Settlement settlement, CancellationToken cancel) => settlement.Kind switch
    {
        SettlementKind.Complete => SettleAsync(delivery, Accepted.Instance, cancel),
        SettlementKind.Delay when settlement.Wait > TimeSpan.Zero && node.Entity.CanBeSentTo => DelayAsync(delivery, settlement, cancel),
        SettlementKind.Delay => AbandonAsync(delivery, settlement.Properties, cancel),
        SettlementKind.DeadLetter when node.Entity.IsSubqueue => ValueTask.FromResult(Leave(delivery)),
        SettlementKind.DeadLetter => SettleAsync(delivery, PutAside(delivery, settlement), cancel),
        _ => SettleAsync(delivery, settlement.IsUnbegun ? Released.Instance : s_abandon, cancel),
    };

    /// <summary>Gives it back, and changes what its properties say.</summary>
    public ValueTask<bool> AbandonAsync(ServiceBusDelivery delivery, IReadOnlyDictionary<string, object?> properties, CancellationToken cancel) =>
        SettleAsync(delivery, properties.Count > 0 ? new Modified(MessageAnnotations: Changes(properties)) : s_abandon, cancel);

    /// <summary>
    /// Gives back what was handed to nobody, without waiting for an answer: released, so that the broker counts no delivery. Where it can't be told, its lock will end.
    /// </summary>
    public static void GiveBack(ServiceBusDelivery delivery)
    {
        if (!delivery.TryBegin())
            return;

        delivery.End();
        try
        {
            if (delivery.Arrival is { Link.Failure: null, Receipt.IsSettled: false } arrival)
                arrival.Link.Settle(arrival.Receipt, Released.Instance);
        }
        catch (AmqpException)
        {
            // The link ended just now: so will the lock.
        }
    }

    // Dead letters have none of their own, and what is given back comes again at once: so its lock is left to end.
    private static bool Leave(ServiceBusDelivery delivery)
    {
        if (!delivery.TryBegin())
            return false;

        delivery.End();
        delivery.Arrival?.Link.Forget(delivery.Arrival.Receipt);
        return true;
    }

    private async ValueTask<bool> SettleAsync(ServiceBusDelivery delivery, DeliveryState outcome, CancellationToken cancel)
    {
        if (!delivery.TryBegin())
            return false;

        try
        {
            var isDone = await TellAsync(delivery, outcome, cancel).ConfigureAwait(false);
            delivery.End();

            // By its lock's token: of that its link has not heard, and would keep it for as long as it lives.
            if (delivery.Arrival is { Receipt.IsSettled: false } arrival)
                arrival.Link.Forget(arrival.Receipt);
            return isDone;
        }
        catch (Exception)
        {
            delivery.HoldOn();
            throw;
        }
    }

    private ValueTask<bool> TellAsync(ServiceBusDelivery delivery, DeliveryState outcome, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        return delivery is { IsInDoubt: false, Arrival: { Link.Failure: null } arrival } && CanTravelByLink(outcome)
            ? ByLinkAsync(delivery, arrival, outcome, cancel)
            : ByTokenAsync(delivery, outcome, cancel);
    }

    // A link has room for names in ASCII alone, beside the token any will do.
    private static bool CanTravelByLink(DeliveryState outcome) => outcome switch
    {
        Rejected { Error.Info: { } info } => info.Keys.All(static name => Ascii.IsValid(name.Value)),
        Modified { MessageAnnotations: { } properties } => properties.Keys.All(static name => Ascii.IsValid(name.Value)),
        _ => true,
    };

    private async ValueTask<bool> ByLinkAsync(ServiceBusDelivery delivery, Arrival arrival, DeliveryState outcome, CancellationToken cancel)
    {
        // Nothing is renewed beside a settlement: a path that is cut must be found out while there is time to settle by another.
        using var waiting = arrival.Link.Session.Connection.AwaitAnswer();

        DeliveryState answer;
        try
        {
            var settling = arrival.Link.SettleAsync(arrival.Receipt, outcome, cancel);

            // Whoever calls it off does so when the lock has ended, too late for the token: so there is an end before that.
            using var watching = _patience.Watch(arrival.Receipt, TimeForLink(delivery));
            answer = await settling.ConfigureAwait(false);
        }
        catch (AmqpException problem)
        {
            // Where the link lives, the broker has ended the delivery by itself, and the token tells how.
            if (arrival.Link.Failure is null)
                return await ByTokenAsync(delivery, outcome, cancel).ConfigureAwait(false);
            if (arrival.Receipt.IsTold)
                delivery.NoteUnanswered(outcome);

            // Whatever ended the link: while the lock lasts, its token may settle yet.
            throw problems.Of(problem, node.Entity).ForNow();
        }
        catch (OperationCanceledException)
        {
            if (arrival.Receipt.IsTold)
                delivery.NoteUnanswered(outcome);
            cancel.ThrowIfCancellationRequested();
            return await ByTokenAsync(delivery, outcome, cancel).ConfigureAwait(false);
        }

        if (answer is Rejected { Error: { } error } && !(outcome is Rejected && error.Condition.Value == Conditions.DeadLetter))
            return await RefusedAsync(delivery, outcome, Refusal.Of(error), cancel).ConfigureAwait(false);

        // What was returned unbegun is off our hands, whatever the broker calls that.
        if (answer.GetType() == outcome.GetType() || outcome is Released)
            return true;
        delivery.IsInDoubt = true;
        throw problems.Nonsense(node.Entity, $"a delivery that was to end as {outcome.GetType().Name} ended as {answer.GetType().Name}");
    }

    private TimeSpan TimeForLink(ServiceBusDelivery delivery) =>
        delivery.LockDuration * PartForLink is var part && part < node.Patience ? part : node.Patience;

    private async ValueTask<bool> RefusedAsync(ServiceBusDelivery delivery, DeliveryState outcome, Refusal refusal, CancellationToken cancel)
    {
        if (refusal.IsLost)
            return false;

        // The link does not know the delivery any more, or its settlement is spent: from here on only the token will do.
        delivery.IsInDoubt = true;
        return refusal.Condition == Conditions.NotFound
            ? await ByTokenAsync(delivery, outcome, cancel).ConfigureAwait(false)
            : throw OfHeld(refusal);
    }

    private async ValueTask<bool> ByTokenAsync(ServiceBusDelivery delivery, DeliveryState outcome, CancellationToken cancel)
    {
        var hasLeft = false;
        Refusal? refusal;
        try
        {
            refusal = await node.SettleAsync(delivery.LockToken, outcome, delivery.Session?.Id, () => hasLeft = true, cancel).ConfigureAwait(false);
        }
        catch (Exception)
        {
            if (hasLeft)
                delivery.NoteUnanswered(outcome);
            throw;
        }

        if (refusal is not { } why)
            return true;
        if (why.IsLost)
            return WasOurs(delivery, outcome);
        delivery.IsInDoubt = true;
        throw OfHeld(why);
    }

    // The message is here, so the entity was there and let us have it. What is said of the entity, or of us, somebody may be mending while the lock lasts.
    private BrokerException OfHeld(Refusal refusal)
    {
        var problem = problems.Of(refusal, node.Entity);
        return Conditions.IsOfEntity(refusal.Condition) ? problem.ForNow() : problem;
    }

    // The lock is gone before its time, and a settlement whose answer was lost may have ended it. That is as good as certain; should it come again, it was not.
    private bool WasOurs(ServiceBusDelivery delivery, DeliveryState outcome)
    {
        if (delivery.Unanswered?.GetType() != outcome.GetType() || !delivery.IsLockedStill(time))
            return false;
        if (outcome is Accepted)
            recollection.NoteCompleted(delivery);
        return true;
    }

    // The broker has the copy before it may forget the original.
    private async ValueTask<bool> DelayAsync(ServiceBusDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        if (!delivery.IsOver)
        {
            if (delivery.Copy is null && await ScheduleAsync(delivery, settlement, cancel).ConfigureAwait(false) is { } refusal)
                return await GiveBackAsync(delivery, settlement, refusal, cancel).ConfigureAwait(false);
            if (await SettleAsync(delivery, Accepted.Instance, cancel).ConfigureAwait(false))
            {
                delivery.Copy = null;
                return true;
            }
        }

        await CallOffCopyAsync(delivery).ConfigureAwait(false);
        return false;
    }

    // Only where it is certain that the original is still there. Its lock is lost already, so the end of a lease does not call this off; what fails is done at the next try.
    private async ValueTask CallOffCopyAsync(ServiceBusDelivery delivery)
    {
        if (delivery is not { Copy: { } copy, IsInDoubt: false })
            return;

        await node.CancelAsync(copy).ConfigureAwait(false);
        delivery.Copy = null;
    }

    // With the story of its failures a copy may have become larger than the broker takes. Why there is none, or null.
    private async ValueTask<Refusal?> ScheduleAsync(ServiceBusDelivery delivery, Settlement settlement, CancellationToken cancel)
    {
        var at = clock.After(settlement.Wait);
        var (number, why) = await node.ScheduleAsync(Envelope.Later(delivery, settlement, at), cancel).ConfigureAwait(false);
        if (why?.Condition == Conditions.MessageTooLarge)
            (number, why) = await node.ScheduleAsync(Envelope.Later(delivery, Settlement.Delay(settlement.Wait), at), cancel).ConfigureAwait(false);
        if (why is null)
            delivery.Copy = number;
        return why;
    }

    // At once, and counted: to try in place until the lock ends would hold a slot for nothing, and what is lost with a session is not even counted.
    private ValueTask<bool> GiveBackAsync(ServiceBusDelivery delivery, Settlement settlement, Refusal refusal, CancellationToken cancel)
    {
        if (refusal.Condition == Conditions.MessageTooLarge)
            return SettleAsync(delivery, s_abandon, cancel);

        delivery.NoteNotDelayed(problems.Of(refusal, node.Entity).Message);
        return AbandonAsync(delivery, settlement.Properties, cancel);
    }

    // What the broker does not know among the information about an error it writes into the dead letter's properties. When it was put aside the broker does not note.
    private Rejected PutAside(ServiceBusDelivery delivery, Settlement settlement)
    {
        var info = Changes(settlement.Properties);
        info[DeadLetterProperties.PutAsideAt] = AmqpTimestamp.From(clock.Now);

        // Whoever sends it again with all its properties would else have it begin where it died.
        if (Letter.HasEarlierDeliveries(delivery.Original))
            info[PropertyNames.EarlierDeliveries] = 0;
        (info[PropertyNames.Reason], info[PropertyNames.Description]) = (settlement.Reason, settlement.Description);
        return new(new AmqpError(Conditions.DeadLetter, Info: info));
    }

    private static AmqpFields Changes(IReadOnlyDictionary<string, object?> properties)
    {
        var changes = new AmqpFields(properties.Count);
        foreach (var (name, value) in PropertyValues.Fitting(properties))
            changes[name] = value;
        return changes;
    }
}
