namespace Holdfast.Amqp;

/// <summary>The protocols that a connection may be asked to speak next.</summary>
internal enum ProtocolId : byte
{
    Amqp = 0,
    Tls = 2,
    Sasl = 3,
}

/// <summary>The eight bytes with which either side says what it speaks.</summary>
internal readonly record struct ProtocolHeader(byte Id, byte Major, byte Minor, byte Revision)
{
    public const int Size = 8;

    public static ProtocolHeader Of(ProtocolId id) => new((byte)id, 1, 0, 0);

    public void Write(AmqpWriter writer)
    {
        writer.WriteRaw("AMQP"u8);
        writer.WriteRaw([Id, Major, Minor, Revision]);
    }

    /// <exception cref="AmqpDecodeException">The peer speaks something else.</exception>
    public static ProtocolHeader Read(ReadOnlySpan<byte> bytes) => bytes.StartsWith("AMQP"u8)
        ? new(bytes[4], bytes[5], bytes[6], bytes[7])
        : throw new AmqpDecodeException($"The peer does not speak AMQP: it began with {Convert.ToHexString(bytes[..Size])}", 0);

    public override string ToString() => $"AMQP {Id} {Major}.{Minor}.{Revision}";
}
