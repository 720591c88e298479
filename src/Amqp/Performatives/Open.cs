namespace Holdfast.Amqp;

/// <summary>The first frame of a connection: who is there, and within which bounds it can be spoken to.</summary>
internal sealed record Open
{
    public required string ContainerId { get; init; }

    public string? Hostname { get; init; }

    public uint MaxFrameSize { get; init; } = uint.MaxValue;

    public ushort ChannelMax { get; init; } = ushort.MaxValue;

    /// <summary>In milliseconds; null where silence is no reason to give up.</summary>
    public uint? IdleTimeout { get; init; }

    public Symbol[]? OutgoingLocales { get; init; }

    public Symbol[]? IncomingLocales { get; init; }

    public Symbol[]? OfferedCapabilities { get; init; }

    public Symbol[]? DesiredCapabilities { get; init; }

    public AmqpFields? Properties { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Open);
        fields.String(ContainerId);
        fields.String(Hostname);
        fields.UInt(MaxFrameSize, unless: uint.MaxValue);
        fields.UShort(ChannelMax, unless: ushort.MaxValue);
        fields.UInt(IdleTimeout);
        fields.Symbols(OutgoingLocales);
        fields.Symbols(IncomingLocales);
        fields.Symbols(OfferedCapabilities);
        fields.Symbols(DesiredCapabilities);
        fields.Map(Properties);
        fields.End();
    }

    public static Open Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("open");
        var open = new Open
        {
            ContainerId = fields.String() ?? throw fields.Missing("container-id"),
            Hostname = fields.String(),
            MaxFrameSize = fields.UInt() ?? uint.MaxValue,
            ChannelMax = fields.UShort() ?? ushort.MaxValue,
            IdleTimeout = fields.UInt(),
            OutgoingLocales = fields.Symbols(),
            IncomingLocales = fields.Symbols(),
            OfferedCapabilities = fields.Symbols(),
            DesiredCapabilities = fields.Symbols(),
            Properties = fields.Map(),
        };
        fields.End();
        return open;
    }
}
