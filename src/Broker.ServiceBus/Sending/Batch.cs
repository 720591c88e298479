using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Several messages in one transfer: each encoded message is one data section. Decides what travels together, and nothing else.</summary>
internal static class Batch
{
    public const uint Format = 0x80013700;

    // A section's descriptor, and the longest head of its bytes.
    private const int HeadOfSection = 8;
    private const int MostMessages = 1000;

    /// <summary>Takes what may travel with the first: messages of the same session, as many as fit.</summary>
    public static List<Parcel> Take(Queue<Parcel> waiting, ulong most)
    {
        List<Parcel> taken = [];
        ulong size = 0;
        while (taken.Count < MostMessages && waiting.TryPeek(out var next))
        {
            if (next.IsCalledOff)
            {
                waiting.Dequeue();
                continue;
            }

            size += (ulong)next.Payload.Length + HeadOfSection;
            if (taken.Count > 0 && (size > most || next.Session != taken[0].Session))
                break;
            taken.Add(waiting.Dequeue());
        }

        return taken;
    }

    public static void Write(AmqpWriter writer, List<Parcel> messages) =>
        new AmqpMessage { Body = new DataBody([.. messages.Select(message => (ReadOnlyMemory<byte>)message.Payload)]) }.Encode(writer);
}
