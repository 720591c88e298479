using System.Globalization;
using System.Text;
using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Writes the messages that we send: new ones, and copies of those that must wait. Our own client reads them, and this one what that writes.</summary>
internal static class SdkEnvelope
{
    public static Sdk.ServiceBusMessage Of(Message message)
    {
        var sent = new Sdk.ServiceBusMessage(new BinaryData(message.Body))
        {
            MessageId = message.Id,
            ContentType = message.ContentType,
            SessionId = message.SessionId,
            Subject = message.Subject,
            ReplyTo = message.ReplyTo,
        };
        sent.GetRawAmqpMessage().Properties.ContentEncoding = message.ContentEncoding;
        if (message.TimeToLive is { } life)
            sent.TimeToLive = life;
        if (message.CorrelationId is { } correlation)
            sent.CorrelationId = correlation;
        foreach (var (name, value) in message.Properties)
        {
            // Our own client knows what can't be held, and says so.
            PropertyValues.Write(name, value);
            sent.ApplicationProperties[name] = Value(value)!;
        }

        if (message.Priority > 0)
            sent.ApplicationProperties[PropertyNames.Priority] = (int)message.Priority;
        if (message.Properties.GetValueOrDefault(PropertyNames.TraceParent) is string trace)
            sent.ApplicationProperties.TryAdd(PropertyNames.DiagnosticId, trace);
        return sent;
    }

    /// <summary>The same message, to be delivered again later: it remembers its name, and how often it was delivered.</summary>
    public static Sdk.ServiceBusMessage Later(SdkDelivery delivery, Settlement settlement)
    {
        var received = delivery.Received;
        var copy = new Sdk.ServiceBusMessage(received.Body)
        {
            MessageId = $"holdfast-{received.LockToken.Replace("-", "", StringComparison.Ordinal)}",
            ContentType = received.ContentType,
            SessionId = received.SessionId,
            Subject = received.Subject,
            ReplyTo = received.ReplyTo,
        };
        copy.GetRawAmqpMessage().Properties.ContentEncoding = delivery.Message.ContentEncoding;
        if (received.CorrelationId is { } correlation)
            copy.CorrelationId = correlation;
        if (received.TimeToLive < TimeSpan.MaxValue)
            copy.TimeToLive = received.TimeToLive;
        Add(copy, received.ApplicationProperties);
        Add(copy, Changes(settlement.Properties));
        copy.ApplicationProperties[PropertyNames.Id] = delivery.Message.Id;
        copy.ApplicationProperties[PropertyNames.FirstEnqueuedAt] = delivery.EnqueuedAt.UtcDateTime;
        copy.ApplicationProperties[PropertyNames.EarlierDeliveries] = delivery.DeliveryCount;
        return copy;
    }

    /// <summary>What a settlement tells, as Microsoft's client takes it, but for what Service Bus has no place for: to fail for that would be to fail each time that it is tried.</summary>
    public static Dictionary<string, object> Changes(IReadOnlyDictionary<string, object?> properties)
    {
        var changes = new Dictionary<string, object>(properties.Count);
        foreach (var (name, value) in properties)
        {
            if (PropertyValues.TryWrite(value, out _))
                changes[name] = Value(value)!;
        }

        return changes;
    }

    private static object? Value(object? value) => value switch
    {
        ReadOnlyMemory<byte> bytes => bytes.ToArray(),
        decimal number => number.ToString(CultureInfo.InvariantCulture),
        Uri { IsAbsoluteUri: false } uri => uri.OriginalString,
        Rune rune => rune.IsBmp ? (char)rune.Value : rune.ToString(),
        DateTimeOffset time => time.UtcDateTime,
        _ => value,
    };

    private static void Add(Sdk.ServiceBusMessage message, IEnumerable<KeyValuePair<string, object>> properties)
    {
        foreach (var (name, value) in properties)
            message.ApplicationProperties[name] = value;
    }
}
