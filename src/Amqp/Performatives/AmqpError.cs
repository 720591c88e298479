namespace Holdfast.Amqp;

/// <summary>What went wrong, in the words of the peer.</summary>
public sealed record AmqpError(Symbol Condition, string? Description = null, AmqpFields? Info = null)
{
    internal void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.Error);
        fields.Symbol(Condition);
        fields.String(Description);
        fields.Map(Info);
        fields.End();
    }

    internal static AmqpError DecodeDescribed(ref AmqpReader reader)
    {
        reader.ReadDescriptor(Descriptor.Error, "an error");
        return Decode(ref reader);
    }

    private static AmqpError Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("error");
        var error = new AmqpError(
            fields.Symbol() ?? throw fields.Missing("condition"),
            fields.String(),
            fields.Map());
        fields.End();
        return error;
    }
}
