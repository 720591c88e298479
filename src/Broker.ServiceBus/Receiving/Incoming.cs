using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Makes deliveries of what links bring, each with its receipts and with how long it is ours. Any thread.</summary>
internal sealed class Incoming(EntityName entity, Recollection recollection, Problems problems, BrokerClock clock, TimeProvider time)
{
    private const int TokenSize = 16;

    private readonly FirstSight? _seen = entity.IsSubqueue ? new() : null;

    /// <exception cref="BrokerException">It is nothing that Service Bus would send under lock.</exception>
    public ServiceBusDelivery Read(AmqpDelivery receipt, HeldSession? session)
    {
        var at = time.GetTimestamp();
        if (receipt.Tag.Length != TokenSize)
            throw problems.Nonsense(entity, "a message without a lock's token");
        return Read(AmqpMessage.Decode(receipt.Payload), new Guid(receipt.Tag), new Arrival(receipt.Receiver, receipt), session, at);
    }

    /// <inheritdoc cref="Read(AmqpDelivery, HeldSession?)"/>
    public ServiceBusDelivery Read(AmqpMessage message, Guid token, Arrival? arrival, HeldSession? session, long at)
    {
        var enqueued = Letter.EnqueuedAt(message);
        if (enqueued is { } shown)
            clock.Saw(shown, at);
        var number = Letter.SequenceNumber(message) ?? throw problems.Nonsense(entity, "a message without a sequence number");
        var enqueuedAt = Letter.FirstEnqueuedAt(message) ?? enqueued ?? time.GetUtcNow();
        var count = Letter.DeliveryCount(message);
        return new()
        {
            Entity = entity,
            Message = Letter.Read(message, number),
            Original = message,
            LockToken = token,
            SequenceNumber = number,
            Arrival = arrival,
            Session = session,
            DeliveryCount = count,
            TriesHere = _seen?.Tries(number, enqueuedAt, count),
            EnqueuedAt = enqueuedAt,
            WasSettled = message.Header?.DeliveryCount > 0 && recollection.WasCompleted(number, enqueuedAt),
            ArrivedAt = at,
            LockDuration = session?.LockDuration
                ?? (Letter.LockedUntil(message) is { } until ? clock.Until(until, at) : throw problems.Nonsense(entity, "a message that does not tell until when it is ours")),
        };
    }
}
