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
        if (message.TimeToLive is { } life)
            sent.TimeToLive = life;
        if (message.CorrelationId is { } correlation)
            sent.CorrelationId = correlation;
        Add(sent, Properties(message.Properties));
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
        if (received.CorrelationId is { } correlation)
            copy.CorrelationId = correlation;
        if (received.TimeToLive < TimeSpan.MaxValue)
            copy.TimeToLive = received.TimeToLive;
        Add(copy, received.ApplicationProperties);
        Add(copy, Properties(settlement.Properties));
        copy.ApplicationProperties[PropertyNames.Id] = delivery.Message.Id;
        copy.ApplicationProperties[PropertyNames.FirstEnqueuedAt] = delivery.EnqueuedAt.UtcDateTime;
        copy.ApplicationProperties[PropertyNames.EarlierDeliveries] = delivery.DeliveryCount;
        return copy;
    }

    /// <summary>Properties as Microsoft's client takes them.</summary>
    /// <exception cref="BrokerException">One is of a kind that Service Bus can't hold.</exception>
    public static Dictionary<string, object> Properties(IReadOnlyDictionary<string, object?> properties)
    {
        var written = new Dictionary<string, object>(properties.Count);
        foreach (var (name, value) in properties)
            written[name] = Value(name, value)!;
        return written;
    }

    private static object? Value(string name, object? value)
    {
        // Our own client knows what can't be held, and says so.
        PropertyValues.Write(name, value);
        return value switch
        {
            ReadOnlyMemory<byte> bytes => bytes.ToArray(),
            decimal number => number.ToString(CultureInfo.InvariantCulture),
            Uri { IsAbsoluteUri: false } uri => uri.OriginalString,
            Rune rune => rune.IsBmp ? (char)rune.Value : rune.ToString(),
            DateTimeOffset time => time.UtcDateTime,
            _ => value,
        };
    }

    private static void Add(Sdk.ServiceBusMessage message, IEnumerable<KeyValuePair<string, object>> properties)
    {
        foreach (var (name, value) in properties)
            message.ApplicationProperties[name] = value;
    }
}
