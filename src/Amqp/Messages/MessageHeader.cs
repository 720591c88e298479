namespace Holdfast.Amqp;

/// <summary>How a message is to be carried, and how it fared so far.</summary>
public sealed record MessageHeader
{
    public const byte OrdinaryPriority = 4;

    public bool Durable { get; init; }

    public byte Priority { get; init; } = OrdinaryPriority;

    /// <summary>In milliseconds; null where it may live for ever.</summary>
    public uint? TimeToLive { get; init; }

    public bool FirstAcquirer { get; init; }

    /// <summary>How often it was delivered before, without success.</summary>
    public uint DeliveryCount { get; init; }

    /// <summary>What of it can't be read; null where all can.</summary>
    public UnreadParts? Unread { get; init; }

    internal void Encode(AmqpWriter writer)
    {
        if (Unread?.TryWriteWhole(writer) == true)
            return;

        var fields = writer.BeginFields(Descriptor.Header, Unread);
        fields.Flag(Durable);
        fields.UByte(Priority, unless: OrdinaryPriority);
        fields.UInt(TimeToLive);
        fields.Flag(FirstAcquirer);
        fields.UInt(DeliveryCount, unless: 0);
        fields.End();
    }

    internal static MessageHeader Decode(ref AmqpReader reader, UnreadParts? unread)
    {
        var fields = reader.ReadFields("header", unread);
        var header = new MessageHeader
        {
            Durable = fields.Flag(),
            Priority = fields.UByte() ?? OrdinaryPriority,
            TimeToLive = fields.UInt(),
            FirstAcquirer = fields.Flag(),
            DeliveryCount = fields.UInt() ?? 0,
            Unread = unread,
        };
        fields.End();
        return header;
    }
}
