namespace Holdfast.Amqp;

/// <summary>Begins a session on a channel.</summary>
internal sealed record Begin
{
    /// <summary>Set by whoever answers: the channel on which the other has begun it.</summary>
    public ushort? RemoteChannel { get; init; }

    public required uint NextOutgoingId { get; init; }

    public required uint IncomingWindow { get; init; }

    public required uint OutgoingWindow { get; init; }

    public uint HandleMax { get; init; } = uint.MaxValue;

    public Symbol[]? OfferedCapabilities { get; init; }

    public Symbol[]? DesiredCapabilities { get; init; }

    public AmqpFields? Properties { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Begin);
        fields.UShort(RemoteChannel);
        fields.UInt(NextOutgoingId);
        fields.UInt(IncomingWindow);
        fields.UInt(OutgoingWindow);
        fields.UInt(HandleMax, unless: uint.MaxValue);
        fields.Symbols(OfferedCapabilities);
        fields.Symbols(DesiredCapabilities);
        fields.Map(Properties);
        fields.End();
    }

    public static Begin Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("begin");
        var begin = new Begin
        {
            RemoteChannel = fields.UShort(),
            NextOutgoingId = fields.UInt() ?? throw fields.Missing("next-outgoing-id"),
            IncomingWindow = fields.UInt() ?? throw fields.Missing("incoming-window"),
            OutgoingWindow = fields.UInt() ?? throw fields.Missing("outgoing-window"),
            HandleMax = fields.UInt() ?? uint.MaxValue,
            OfferedCapabilities = fields.Symbols(),
            DesiredCapabilities = fields.Symbols(),
            Properties = fields.Map(),
        };
        fields.End();
        return begin;
    }
}
