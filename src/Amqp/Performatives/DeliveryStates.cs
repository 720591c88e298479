namespace Holdfast.Amqp;

/// <summary>The receiver has taken it.</summary>
public sealed record Accepted : DeliveryState
{
    private Accepted()
    {
    }

    public static Accepted Instance { get; } = new();

    internal override void Encode(AmqpWriter writer) => writer.BeginFields(Descriptor.Accepted).End();

    internal static new void Decode(ref AmqpReader reader) => reader.ReadFields("accepted").End();
}

/// <summary>The receiver did nothing with it; anyone may have it.</summary>
public sealed record Released : DeliveryState
{
    private Released()
    {
    }

    public static Released Instance { get; } = new();

    internal override void Encode(AmqpWriter writer) => writer.BeginFields(Descriptor.Released).End();

    internal static new void Decode(ref AmqpReader reader) => reader.ReadFields("released").End();
}

/// <summary>The receiver can't take it: it is not valid there.</summary>
public sealed record Rejected(AmqpError? Error = null) : DeliveryState
{
    internal override void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Rejected);
        fields.Error(Error);
        fields.End();
    }

    internal static new Rejected Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("rejected");
        var state = new Rejected(fields.Error());
        fields.End();
        return state;
    }
}

/// <summary>The receiver did not take it, and changes what is said about it.</summary>
public sealed record Modified(bool DeliveryFailed = false, bool UndeliverableHere = false, AmqpFields? MessageAnnotations = null) : DeliveryState
{
    internal override void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Modified);
        fields.Flag(DeliveryFailed);
        fields.Flag(UndeliverableHere);
        fields.Map(MessageAnnotations);
        fields.End();
    }

    internal static new Modified Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("modified");
        var state = new Modified(fields.Flag(), fields.Flag(), fields.Map());
        fields.End();
        return state;
    }
}

/// <summary>Not an outcome: how much of it has arrived, should the link be resumed.</summary>
public sealed record Received(uint SectionNumber, ulong SectionOffset) : DeliveryState
{
    internal override void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Received);
        fields.UInt(SectionNumber);
        fields.ULong(SectionOffset);
        fields.End();
    }

    internal static new Received Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("received");
        var state = new Received(
            fields.UInt() ?? throw fields.Missing("section-number"),
            fields.ULong() ?? throw fields.Missing("section-offset"));
        fields.End();
        return state;
    }
}

/// <summary>A state that the core of the specification does not know, such as a transaction's; kept as it came.</summary>
public sealed record UnknownState(Described Value) : DeliveryState
{
    internal override void Encode(AmqpWriter writer) => writer.WriteValue(Value);
}
