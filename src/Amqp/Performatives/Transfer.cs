namespace Holdfast.Amqp;

/// <summary>Carries a message, or a piece of one; the payload follows it in the frame.</summary>
internal readonly record struct Transfer
{
    public const int LongestTag = 32;

    public required uint Handle { get; init; }

    /// <summary>The first frame of a delivery must have it.</summary>
    public uint? DeliveryId { get; init; }

    /// <summary>The first frame of a delivery must have it.</summary>
    public byte[]? DeliveryTag { get; init; }

    public uint? MessageFormat { get; init; }

    /// <summary>Null where an earlier frame of the delivery has told.</summary>
    public bool? Settled { get; init; }

    public bool More { get; init; }

    public ReceiverSettleMode? ReceiverSettleMode { get; init; }

    public DeliveryState? State { get; init; }

    public bool Resume { get; init; }

    public bool Aborted { get; init; }

    public bool Batchable { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Transfer);
        fields.UInt(Handle);
        fields.UInt(DeliveryId);
        fields.Binary(DeliveryTag);
        fields.UInt(MessageFormat);
        fields.Boolean(Settled);
        fields.Flag(More);
        fields.UByte((byte?)ReceiverSettleMode);
        fields.State(State);
        fields.Flag(Resume);
        fields.Flag(Aborted);
        fields.Flag(Batchable);
        fields.End();
    }

    public static Transfer Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("transfer");
        var transfer = new Transfer
        {
            Handle = fields.UInt() ?? throw fields.Missing("handle"),
            DeliveryId = fields.UInt(),
            DeliveryTag = fields.Binary(LongestTag),
            MessageFormat = fields.UInt(),
            Settled = fields.Boolean(),
            More = fields.Flag(),
            ReceiverSettleMode = fields.ReceiverSettleMode(),
            State = fields.State(),
            Resume = fields.Flag(),
            Aborted = fields.Flag(),
            Batchable = fields.Flag(),
        };
        fields.End();
        return transfer;
    }
}
