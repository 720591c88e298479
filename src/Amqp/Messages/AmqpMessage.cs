namespace Holdfast.Amqp;

/// <summary>A message in all its sections; null where one is not there.</summary>
public sealed record AmqpMessage
{
    public MessageHeader? Header { get; init; }

    public AmqpFields? DeliveryAnnotations { get; init; }

    public AmqpFields? MessageAnnotations { get; init; }

    public MessageProperties? Properties { get; init; }

    public ApplicationProperties? ApplicationProperties { get; init; }

    public MessageBody? Body { get; init; }

    public AmqpFields? Footer { get; init; }

    /// <summary>
    /// Its body's data are slices of the payload, which must live as long. Whatever can't be read is kept as it came, for a stranger chose it: a
    /// <see cref="UnreadBody"/>, <see cref="UnreadProperties"/>, <see cref="UnreadFields"/> or <see cref="UnreadParts"/>. Of what is no message at all
    /// the body is all there is.
    /// </summary>
    public static AmqpMessage Decode(ReadOnlyMemory<byte> payload) => Decode(payload, AmqpLimits.Default);

    /// <inheritdoc cref="Decode(ReadOnlyMemory{byte})"/>
    public static AmqpMessage Decode(ReadOnlyMemory<byte> payload, AmqpLimits limits) => MessageDecoder.Decode(payload, limits);

    public void Encode(AmqpWriter writer)
    {
        Header?.Encode(writer);
        Encode(writer, Descriptor.DeliveryAnnotations, DeliveryAnnotations);
        Encode(writer, Descriptor.MessageAnnotations, MessageAnnotations);
        Properties?.Encode(writer);
        if (ApplicationProperties is UnreadProperties unread)
        {
            writer.WriteRaw(unread.Encoded.Span);
        }
        else if (ApplicationProperties is { } properties)
        {
            writer.WriteDescriptor(Descriptor.ApplicationProperties);
            writer.WriteMap(properties);
        }

        Body?.Encode(writer);
        Encode(writer, Descriptor.Footer, Footer);
    }

    private static void Encode(AmqpWriter writer, ulong descriptor, AmqpFields? map)
    {
        if (map is null)
            return;
        if (map is UnreadFields unread)
        {
            writer.WriteRaw(unread.Encoded.Span);
            return;
        }

        writer.WriteDescriptor(descriptor);
        writer.WriteStrangersMap(map);
    }
}
