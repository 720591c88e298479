using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Writes the messages that we send: new ones, and copies of those that must wait.</summary>
internal static class Envelope
{
    public static AmqpMessage Of(Message message, DateTimeOffset? deliverAt = null)
    {
        ApplicationProperties? properties = message.Properties.Count > 0 || message.Priority > 0 ? new(message.Properties.Count + 2) : null;
        foreach (var (name, value) in message.Properties)
            properties![name] = PropertyValues.Write(name, value);
        if (message.Priority > 0)
            properties![PropertyNames.Priority] = (int)message.Priority;
        if (message.Properties.GetValueOrDefault(PropertyNames.TraceParent) is string trace)
            properties!.TryAdd(PropertyNames.DiagnosticId, trace);
        return new()
        {
            MessageAnnotations = deliverAt is { } time ? At(time) : null,
            Properties = new()
            {
                MessageId = message.Id,
                CorrelationId = message.CorrelationId,
                ContentType = message.ContentType is { } type ? new Symbol(type) : (Symbol?)null,
                GroupId = message.SessionId,
            },
            ApplicationProperties = properties,
            Body = new DataBody(message.Body),
        };
    }

    /// <summary>The same message, to be delivered again later: it remembers its name, and how often it was delivered.</summary>
    public static AmqpMessage Later(ServiceBusDelivery delivery, Settlement settlement, DateTimeOffset deliverAt)
    {
        var original = delivery.Original;
        var annotations = At(deliverAt);
        foreach (var (name, value) in original.MessageAnnotations ?? [])
        {
            if (!Annotations.IsBrokers(name.Value))
                annotations[name] = value;
        }

        ApplicationProperties properties = [];
        foreach (var (name, value) in original.ApplicationProperties ?? [])
            properties[name] = value;
        foreach (var (name, value) in settlement.Properties)
            properties[name] = PropertyValues.Write(name, value);
        properties[PropertyNames.EarlierDeliveries] = delivery.DeliveryCount;
        properties[PropertyNames.Id] = delivery.Message.Id;
        properties[PropertyNames.FirstEnqueuedAt] = AmqpTimestamp.From(delivery.EnqueuedAt);
        return original with
        {
            Header = original.Header is { } header ? header with { DeliveryCount = 0 } : null,
            DeliveryAnnotations = null,
            MessageAnnotations = annotations,
            Properties = (original.Properties ?? new()) with { MessageId = $"holdfast-{delivery.LockToken:N}" },
            ApplicationProperties = properties,
        };
    }

    private static AmqpFields At(DateTimeOffset time) => new() { [Annotations.ScheduledTime] = AmqpTimestamp.From(time) };
}
