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

    internal void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Header);
        fields.Flag(Durable);
        fields.UByte(Priority, unless: OrdinaryPriority);
        fields.UInt(TimeToLive);
        fields.Flag(FirstAcquirer);
        fields.UInt(DeliveryCount, unless: 0);
        fields.End();
    }

    internal static MessageHeader Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("header");
        var header = new MessageHeader
        {
            Durable = fields.Flag(),
            Priority = fields.UByte() ?? OrdinaryPriority,
            TimeToLive = fields.UInt(),
            FirstAcquirer = fields.Flag(),
            DeliveryCount = fields.UInt() ?? 0,
        };
        fields.End();
        return header;
    }
}
