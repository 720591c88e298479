namespace Holdfast.Amqp;

/// <summary>The ways in which the server lets one in.</summary>
internal sealed record SaslMechanisms(Symbol[] Mechanisms)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.SaslMechanisms);
        fields.Symbols(Mechanisms);
        fields.End();
    }

    public static SaslMechanisms Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("sasl-mechanisms");
        var mechanisms = new SaslMechanisms(fields.Symbols() ?? throw fields.Missing("sasl-server-mechanisms"));
        fields.End();
        return mechanisms;
    }
}

/// <summary>The way that the client chose.</summary>
internal sealed record SaslInit(Symbol Mechanism, byte[]? InitialResponse = null, string? Hostname = null)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.SaslInit);
        fields.Symbol(Mechanism);
        fields.Binary(InitialResponse);
        fields.String(Hostname);
        fields.End();
    }

    public static SaslInit Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("sasl-init");
        var init = new SaslInit(
            fields.Symbol() ?? throw fields.Missing("mechanism"),
            fields.Binary(),
            fields.String());
        fields.End();
        return init;
    }
}

/// <summary>What the server asks on the way.</summary>
internal sealed record SaslChallenge(byte[] Challenge)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.SaslChallenge);
        fields.Binary(Challenge);
        fields.End();
    }

    public static SaslChallenge Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("sasl-challenge");
        var challenge = new SaslChallenge(fields.Binary() ?? throw fields.Missing("challenge"));
        fields.End();
        return challenge;
    }
}

/// <summary>Whether the server lets the client in.</summary>
internal sealed record SaslOutcome(SaslCode Code, byte[]? AdditionalData = null)
{
    public void Encode(AmqpWriter writer)
    {
        var fields = writer.BeginFields(Descriptor.SaslOutcome);
        fields.UByte((byte)Code);
        fields.Binary(AdditionalData);
        fields.End();
    }

    public static SaslOutcome Decode(ref AmqpReader reader)
    {
        var fields = reader.ReadFields("sasl-outcome");
        var outcome = new SaslOutcome(
            (SaslCode)(fields.UByte() ?? throw fields.Missing("code")),
            fields.Binary());
        fields.End();
        return outcome;
    }
}
