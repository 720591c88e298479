using System.Text;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>Messages as the server hands them over.</summary>
internal static class Arriving
{
    public static Arrival Message(string? id, ulong tag = 1, bool isRedelivered = false, params (string Name, object? Value)[] headers)
    {
        var envelope = new BasicProperties { Headers = headers.ToDictionary(header => header.Name, header => header.Value) };
        if (id is not null)
            envelope.MessageId = id;
        return Message(envelope, tag, isRedelivered);
    }

    public static Arrival Message(BasicProperties envelope, ulong tag = 1, bool isRedelivered = false) =>
        new(tag, isRedelivered, "shop", "new-orders", envelope, Encoding.UTF8.GetBytes("body"), At: 0);
}
