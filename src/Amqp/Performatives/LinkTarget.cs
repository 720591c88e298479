namespace Holdfast.Amqp;

/// <summary>Where a link's messages go to.</summary>
public abstract record LinkTarget
{
    internal abstract void Encode(AmqpWriter writer);

    internal static LinkTarget Decode(ref AmqpReader reader)
    {
        var position = reader.Position;
        return reader.ReadDescriptor() switch
        {
            Descriptor.Target => Target.Decode(ref reader),
            Descriptor.Coordinator => Coordinator.Decode(ref reader),
            _ => throw new AmqpDecodeException("A target that is neither a node nor a coordinator", position),
        };
    }
}

/// <summary>A node, such as a queue.</summary>
public sealed record Target : LinkTarget
{
    public string? Address { get; init; }

    /// <summary>0 keeps nothing, 1 the configuration, 2 also what is unsettled.</summary>
    public uint Durable { get; init; }

    public Symbol? ExpiryPolicy { get; init; }

    /// <summary>In seconds.</summary>
    public uint Timeout { get; init; }

    public bool Dynamic { get; init; }

    public AmqpFields? DynamicNodeProperties { get; init; }

    public Symbol[]? Capabilities { get; init; }

    internal override void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Target);
        fields.String(Address);
        fields.UInt(Durable, unless: 0);
        fields.Symbol(ExpiryPolicy);
        fields.UInt(Timeout, unless: 0);
        fields.Flag(Dynamic);
        fields.Map(DynamicNodeProperties);
        fields.Symbols(Capabilities);
        fields.End();
    }

    internal static new Target Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("target");
        var target = new Target
        {
            Address = fields.String(),
            Durable = fields.UInt() ?? 0,
            ExpiryPolicy = fields.Symbol(),
            Timeout = fields.UInt() ?? 0,
            Dynamic = fields.Flag(),
            DynamicNodeProperties = fields.Map(),
            Capabilities = fields.Symbols(),
        };
        fields.End();
        return target;
    }
}

/// <summary>The coordinator of transactions.</summary>
public sealed record Coordinator(Symbol[]? Capabilities = null) : LinkTarget
{
    internal override void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Coordinator);
        fields.Symbols(Capabilities);
        fields.End();
    }

    internal static new Coordinator Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("coordinator");
        var coordinator = new Coordinator(fields.Symbols());
        fields.End();
        return coordinator;
    }
}
