using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Writes the AMQP properties of what we send: new messages, and those that we send on to wait or to be put aside.</summary>
internal static class Envelope
{
    public static BasicProperties Of(Message message, DateTimeOffset now) => new()
    {
        MessageId = message.Id,
        Priority = message.Priority,
        ContentType = message.ContentType,
        CorrelationId = message.CorrelationId,
        Timestamp = new AmqpTimestamp(now.ToUnixTimeSeconds()),
        Persistent = true,
        Headers = new Dictionary<string, object?>(message.Properties.Select(p => KeyValuePair.Create(p.Key, Headers.Write(p.Key, p.Value))))
        {
            [HeaderNames.SentAt] = now.ToUnixTimeMilliseconds(),
        },
    };

    /// <summary>For the wait queue: the same message, which remembers how often it has been delivered.</summary>
    public static BasicProperties ToWait(RabbitMqDelivery delivery, Settlement settlement)
    {
        var envelope = Copy(delivery, settlement);
        envelope.Headers![HeaderNames.EarlierDeliveries] = delivery.DeliveryCount;
        return envelope;
    }

    /// <summary>For the dead-letter queue: the same message, which tells why it is there and where it comes from.</summary>
    public static BasicProperties ToPutAside(RabbitMqDelivery delivery, Settlement settlement, DateTimeOffset now)
    {
        var envelope = Copy(delivery, settlement);
        envelope.Headers![DeadLetterProperties.Reason] = settlement.Reason;
        envelope.Headers[DeadLetterProperties.Description] = settlement.Description;
        envelope.Headers[DeadLetterProperties.Queue] = delivery.Intake.Queue;
        envelope.Headers[HeaderNames.Exchange] = delivery.Exchange;
        envelope.Headers[HeaderNames.RoutingKey] = delivery.RoutingKey;
        envelope.Headers[DeadLetterProperties.Deliveries] = delivery.DeliveryCount;
        envelope.Headers[HeaderNames.PutAsideAt] = new AmqpTimestamp(now.ToUnixTimeSeconds());
        envelope.Headers.Remove(HeaderNames.EarlierDeliveries);
        return envelope;
    }

    public static DateTimeOffset? SentAt(IReadOnlyBasicProperties envelope) =>
        (Headers.Number(envelope.Headers, HeaderNames.SentAt) is { } milliseconds ? Headers.Time(milliseconds) : null)
        ?? (envelope.IsTimestampPresent() ? Headers.Time(envelope.Timestamp) : null);

    private static BasicProperties Copy(RabbitMqDelivery delivery, Settlement settlement)
    {
        var envelope = new BasicProperties(delivery.Envelope)
        {
            MessageId = delivery.Message.Id,
            Persistent = true,
            Headers = (delivery.Envelope.Headers ?? new Dictionary<string, object?>())
                .Where(header => !HeaderNames.IsForOnce(header.Key))
                .ToDictionary(),
        };

        // The first has been waited for already; the second the server takes from nobody but that user.
        envelope.ClearExpiration();
        envelope.ClearUserId();
        envelope.Headers.TryAdd(HeaderNames.SentAt, delivery.EnqueuedAt.ToUnixTimeMilliseconds());
        foreach (var (name, value) in settlement.Properties)
            envelope.Headers[name] = Headers.Write(name, value);
        return envelope;
    }
}
