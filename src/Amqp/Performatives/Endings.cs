namespace Holdfast.Amqp;

/// <summary>Takes a link off its session: for good if closed.</summary>
internal sealed record Detach
{
    public required uint Handle { get; init; }

    public bool Closed { get; init; }

    public AmqpError? Error { get; init; }

    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Detach);
        fields.UInt(Handle);
        fields.Flag(Closed);
        fields.Error(Error);
        fields.End();
    }

    public static Detach Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("detach");
        var detach = new Detach
        {
            Handle = fields.UInt() ?? throw fields.Missing("handle"),
            Closed = fields.Flag(),
            Error = fields.Error(),
        };
        fields.End();
        return detach;
    }
}

/// <summary>Ends a session.</summary>
internal sealed record End(AmqpError? Error = null)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.End);
        fields.Error(Error);
        fields.End();
    }

    public static End Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("end");
        var end = new End(fields.Error());
        fields.End();
        return end;
    }
}

/// <summary>The last frame of a connection.</summary>
internal sealed record Close(AmqpError? Error = null)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Close);
        fields.Error(Error);
        fields.End();
    }

    public static Close Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("close");
        var close = new Close(fields.Error());
        fields.End();
        return close;
    }
}
