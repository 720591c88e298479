namespace Holdfast.Amqp;

/// <summary>Tells the state of one delivery, or of a row of them.</summary>
internal readonly record struct Disposition
{
    /// <summary>Of whoever sends it.</summary>
    public required Role Role { get; init; }

    public required uint First { get; init; }

    /// <summary>Null where there is but the first.</summary>
    public uint? Last { get; init; }

    public bool Settled { get; init; }

    public DeliveryState? State { get; init; }

    public bool Batchable { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Disposition);
        fields.Role(Role);
        fields.UInt(First);
        fields.UInt(Last);
        fields.Flag(Settled);
        fields.State(State);
        fields.Flag(Batchable);
        fields.End();
    }

    public static Disposition Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("disposition");
        var disposition = new Disposition
        {
            Role = fields.Role() ?? throw fields.Missing("role"),
            First = fields.UInt() ?? throw fields.Missing("first"),
            Last = fields.UInt(),
            Settled = fields.Flag(),
            State = fields.State(),
            Batchable = fields.Flag(),
        };
        fields.End();
        return disposition;
    }
}
