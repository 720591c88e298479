using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Several messages in one transfer: each encoded message is one data section. Decides what travels together, and nothing else.</summary>
internal static class Batch
{
    public const uint Format = 0x80013700;

    // A section's descriptor, and the longest head of its bytes.
    private const int HeadOfSection = 8;
    private const int MostMessages = 1000;

    // The broker takes no larger ones, whatever it takes of a single message; and as much of that as the head may need.
    private const ulong MostBytes = 1024 * 1024;
    private const ulong HeadOfBatch = 4 * 1024;

    /// <summary>Takes what may travel with the first: messages for the same part of the entity, as many as fit.</summary>
    public static List<Parcel> Take(Queue<Parcel> waiting, ulong most)
    {
        List<Parcel> taken = [];
        most = Math.Min(most, MostBytes);
        var size = HeadOfBatch;
        while (taken.Count < MostMessages && waiting.TryPeek(out var next))
        {
            if (next.IsCalledOff || next.IsHeldBack())
            {
                waiting.Dequeue();
                continue;
            }

            size += (ulong)next.Payload.Length + HeadOfSection;
            if (taken.Count > 0 && (size > most || !next.GoesWith(taken[0])))
                break;
            taken.Add(waiting.Dequeue());
        }

        return taken;
    }

    /// <summary>Its head says what the broker goes by when it chooses a part of the entity: that of the first message, as all have the same.</summary>
    public static void Write(AmqpWriter writer, List<Parcel> messages) => new AmqpMessage
    {
        MessageAnnotations = messages[0].PartitionKey is { } key ? new() { [Annotations.PartitionKey] = key } : null,
        Properties = new() { MessageId = messages[0].Id, GroupId = messages[0].Session },
        Body = new DataBody([.. messages.Select(message => (ReadOnlyMemory<byte>)message.Payload)]),
    }.Encode(writer);
}
