namespace Holdfast.Amqp;

/// <summary>Where a link's messages come from, and which of them.</summary>
public sealed record Source
{
    public string? Address { get; init; }

    /// <summary>0 keeps nothing, 1 the configuration, 2 also what is unsettled.</summary>
    public uint Durable { get; init; }

    public Symbol? ExpiryPolicy { get; init; }

    /// <summary>In seconds.</summary>
    public uint Timeout { get; init; }

    public bool Dynamic { get; init; }

    public AmqpFields? DynamicNodeProperties { get; init; }

    public Symbol? DistributionMode { get; init; }

    /// <summary>By name; each a <see cref="Described"/>, or null.</summary>
    public AmqpFields? Filter { get; init; }

    public DeliveryState? DefaultOutcome { get; init; }

    public Symbol[]? Outcomes { get; init; }

    public Symbol[]? Capabilities { get; init; }

    internal void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Source);
        fields.String(Address);
        fields.UInt(Durable, unless: 0);
        fields.Symbol(ExpiryPolicy);
        fields.UInt(Timeout, unless: 0);
        fields.Flag(Dynamic);
        fields.Map(DynamicNodeProperties);
        fields.Symbol(DistributionMode);
        fields.Map(Filter);
        fields.State(DefaultOutcome);
        fields.Symbols(Outcomes);
        fields.Symbols(Capabilities);
        fields.End();
    }

    internal static Source DecodeDescribed(ref AmqpReader reader)
    {
        reader.ReadDescriptor(Descriptor.Source, "a source");
        return Decode(ref reader);
    }

    private static Source Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("source");
        var source = new Source
        {
            Address = fields.String(),
            Durable = fields.UInt() ?? 0,
            ExpiryPolicy = fields.Symbol(),
            Timeout = fields.UInt() ?? 0,
            Dynamic = fields.Flag(),
            DynamicNodeProperties = fields.Map(),
            DistributionMode = fields.Symbol(),
            Filter = fields.Map(),
            DefaultOutcome = fields.State(),
            Outcomes = fields.Symbols(),
            Capabilities = fields.Symbols(),
        };
        fields.End();
        return source;
    }
}
