namespace Holdfast.Amqp;

/// <summary>Attaches a link to a session, or answers that it is attached.</summary>
internal sealed record Attach
{
    public required string Name { get; init; }

    public required uint Handle { get; init; }

    public required Role Role { get; init; }

    public SenderSettleMode SenderSettleMode { get; init; } = SenderSettleMode.Mixed;

    public ReceiverSettleMode ReceiverSettleMode { get; init; }

    /// <summary>Null in an answer where the peer has none: it is about to refuse the link.</summary>
    public Source? Source { get; init; }

    /// <summary>Null in an answer where the peer has none: it is about to refuse the link.</summary>
    public LinkTarget? Target { get; init; }

    public AmqpMap? Unsettled { get; init; }

    public bool IncompleteUnsettled { get; init; }

    /// <summary>A sender must set it.</summary>
    public uint? InitialDeliveryCount { get; init; }

    /// <summary>Null, like 0, where messages may be of any size.</summary>
    public ulong? MaxMessageSize { get; init; }

    public Symbol[]? OfferedCapabilities { get; init; }

    public Symbol[]? DesiredCapabilities { get; init; }

    public AmqpFields? Properties { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Attach);
        fields.String(Name);
        fields.UInt(Handle);
        fields.Role(Role);
        fields.UByte((byte)SenderSettleMode, unless: (byte)SenderSettleMode.Mixed);
        fields.UByte((byte)ReceiverSettleMode, unless: (byte)ReceiverSettleMode.First);
        fields.Source(Source);
        fields.Target(Target);
        fields.Map(Unsettled);
        fields.Flag(IncompleteUnsettled);
        fields.UInt(InitialDeliveryCount);
        fields.ULong(MaxMessageSize);
        fields.Symbols(OfferedCapabilities);
        fields.Symbols(DesiredCapabilities);
        fields.Map(Properties);
        fields.End();
    }

    public static Attach Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("attach");
        var attach = new Attach
        {
            Name = fields.String() ?? throw fields.Missing("name"),
            Handle = fields.UInt() ?? throw fields.Missing("handle"),
            Role = fields.Role() ?? throw fields.Missing("role"),
            SenderSettleMode = fields.SenderSettleMode() ?? SenderSettleMode.Mixed,
            ReceiverSettleMode = fields.ReceiverSettleMode() ?? ReceiverSettleMode.First,
            Source = fields.Source(),
            Target = fields.Target(),
            Unsettled = fields.AnyMap(),
            IncompleteUnsettled = fields.Flag(),
            InitialDeliveryCount = fields.UInt(),
            MaxMessageSize = fields.ULong(),
            OfferedCapabilities = fields.Symbols(),
            DesiredCapabilities = fields.Symbols(),
            Properties = fields.Map(),
        };
        fields.End();
        return attach;
    }
}
