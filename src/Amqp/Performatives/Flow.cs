namespace Holdfast.Amqp;

/// <summary>Where a session stands and, if it names a handle, how much its receiver has room for.</summary>
internal readonly record struct Flow
{
    public uint? NextIncomingId { get; init; }

    public required uint IncomingWindow { get; init; }

    public required uint NextOutgoingId { get; init; }

    public required uint OutgoingWindow { get; init; }

    public uint? Handle { get; init; }

    public uint? DeliveryCount { get; init; }

    public uint? LinkCredit { get; init; }

    public uint? Available { get; init; }

    public bool Drain { get; init; }

    public bool Echo { get; init; }

    public AmqpFields? Properties { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Flow);
        fields.UInt(NextIncomingId);
        fields.UInt(IncomingWindow);
        fields.UInt(NextOutgoingId);
        fields.UInt(OutgoingWindow);
        fields.UInt(Handle);
        fields.UInt(DeliveryCount);
        fields.UInt(LinkCredit);
        fields.UInt(Available);
        fields.Flag(Drain);
        fields.Flag(Echo);
        fields.Map(Properties);
        fields.End();
    }

    public static Flow Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("flow");
        var flow = new Flow
        {
            NextIncomingId = fields.UInt(),
            IncomingWindow = fields.UInt() ?? throw fields.Missing("incoming-window"),
            NextOutgoingId = fields.UInt() ?? throw fields.Missing("next-outgoing-id"),
            OutgoingWindow = fields.UInt() ?? throw fields.Missing("outgoing-window"),
            Handle = fields.UInt(),
            DeliveryCount = fields.UInt(),
            LinkCredit = fields.UInt(),
            Available = fields.UInt(),
            Drain = fields.Flag(),
            Echo = fields.Flag(),
            Properties = fields.Map(),
        };
        fields.End();
        return flow;
    }
}
