using System.Security.Cryptography;
using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Writes the messages that we send: new ones, and copies of those that must wait.</summary>
internal static class Envelope
{
    public static AmqpMessage Of(Message message, DateTimeOffset now, DateTimeOffset? deliverAt = null)
    {
        ApplicationProperties? properties = message.Properties.Count > 0 || message.Priority > 0 ? new(message.Properties.Count + 2) : null;
        foreach (var (name, value) in message.Properties)
            properties![name] = PropertyValues.Write(name, value);
        if (message.Priority > 0)
            properties![PropertyNames.Priority] = (int)message.Priority;
        if (message.Properties.GetValueOrDefault(PropertyNames.TraceParent) is string trace)
            properties!.TryAdd(PropertyNames.DiagnosticId, trace);
        var said = new MessageProperties
        {
            MessageId = message.Id,
            CorrelationId = message.CorrelationId,
            Subject = message.Subject,
            ReplyTo = message.ReplyTo,
            ContentType = message.ContentType is { } type ? new Symbol(type) : (Symbol?)null,
            ContentEncoding = message.ContentEncoding is { } encoding ? new Symbol(encoding) : (Symbol?)null,
            GroupId = message.SessionId,
        };
        return new()
        {
            Header = Lifetime.Header(message.TimeToLive),
            MessageAnnotations = deliverAt is { } time ? At(time) : null,
            Properties = said.Begin(message.TimeToLive, deliverAt ?? now),
            ApplicationProperties = properties,
            Body = new DataBody(message.Body),
        };
    }

    /// <summary>The same message, to be delivered again later: it remembers its name, how often it was delivered, and what the settlement tells.</summary>
    public static AmqpMessage Later(ServiceBusDelivery delivery, Settlement settlement, DateTimeOffset deliverAt)
    {
        var properties = Remembering(delivery);
        foreach (var (name, value) in PropertyValues.Fitting(settlement.Properties))
            properties[name] = value;
        properties[PropertyNames.EarlierDeliveries] = delivery.DeliveryCount;
        return Copy(delivery.Original, $"holdfast-{delivery.LockToken:N}", At(deliverAt), properties, deliverAt);
    }

    /// <summary>
    /// A dead letter, to be handled as if it were sent only now, but for a mark that it died before. However often this very one is sent, it has the same name,
    /// so that a queue that drops duplicates takes it once; and no other one has it, for each queue counts its messages from one.
    /// </summary>
    public static AmqpMessage Replay(ServiceBusDelivery delivery, DateTimeOffset now)
    {
        var properties = Remembering(delivery);
        foreach (var name in properties.Keys.Where(PropertyNames.IsOfDeath).ToArray())
            properties.Remove(name);
        properties.Remove(PropertyNames.EarlierDeliveries);
        properties.Remove(PropertyNames.FirstEnqueuedAt);
        var replays = PropertyValues.ToCount(properties.GetValueOrDefault(ReplayProperties.Replays)) + 1L;
        properties[ReplayProperties.Replays] = replays;
        properties[ReplayProperties.ReplayedAt] = now.ToUnixTimeMilliseconds();
        return Copy(delivery.Original, $"holdfast-replay-{Short(delivery.Entity)}-{delivery.SequenceNumber}-{replays}", [], properties, now);
    }

    // A message's id must not be longer than 128 letters, and an entity's name may be.
    private static string Short(EntityName entity) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(entity.Path.ToLowerInvariant())).AsSpan(0, 8));

    private static AmqpMessage Copy(AmqpMessage original, string name, AmqpFields annotations, ApplicationProperties properties, DateTimeOffset from)
    {
        foreach (var (annotation, value) in original.MessageAnnotations ?? [])
        {
            if (!Annotations.IsBrokers(annotation.Value))
                annotations[annotation] = value;
        }

        return original with
        {
            Header = original.Header is { } header ? header with { DeliveryCount = 0 } : null,
            DeliveryAnnotations = null,
            MessageAnnotations = annotations,
            Properties = ((original.Properties ?? new()) with { MessageId = name }).Begin(Lifetime.Of(original), from),
            // Nothing can be added to what can't be read: whatever becomes of the copy, it is not handled either.
            ApplicationProperties = original.ApplicationProperties as UnreadProperties ?? properties,
        };
    }

    private static ApplicationProperties Remembering(ServiceBusDelivery delivery)
    {
        ApplicationProperties properties = [];
        foreach (var (name, value) in delivery.Original.ApplicationProperties ?? [])
            properties[name] = value;
        properties[PropertyNames.Id] = delivery.Message.Id;
        properties[PropertyNames.FirstEnqueuedAt] = AmqpTimestamp.From(delivery.EnqueuedAt);
        return properties;
    }

    private static AmqpFields At(DateTimeOffset time) => new() { [Annotations.ScheduledTime] = AmqpTimestamp.From(time) };
}
