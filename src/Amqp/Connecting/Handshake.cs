namespace Holdfast.Amqp;

/// <summary>Everything up to the peer's open frame: protocol headers, SASL, and our own open frame. Behind the gate.</summary>
internal sealed class Handshake(AmqpConnectionOptions options, Outgoing outgoing)
{
    // A frame each few milliseconds is a demand that would cost more than the connection is worth.
    private static readonly TimeSpan s_shortestIdleTimeout = TimeSpan.FromMilliseconds(100);

    private Step _step = Step.Connect;

    private enum Step
    {
        Connect,
        SaslHeader,
        Mechanisms,
        Outcome,
        AmqpHeader,
        Open,
        Done,
    }

    /// <summary>The peer's open frame, once it has come.</summary>
    public Open? Remote { get; private set; }

    /// <summary>Whether there is no stream to the peer yet.</summary>
    public bool AwaitsStream => _step == Step.Connect;

    public bool AwaitsHeader => _step is Step.SaslHeader or Step.AmqpHeader;

    /// <summary>What the peer owes us next.</summary>
    public string Awaits => _step switch
    {
        Step.Connect => "the connection",
        Step.SaslHeader or Step.AmqpHeader => "the peer's protocol header",
        Step.Mechanisms => "the peer's SASL mechanisms",
        Step.Outcome => "the outcome of SASL",
        _ => "the peer's open frame",
    };

    /// <summary>There is a stream to the peer.</summary>
    public void Begin()
    {
        if (options.Sasl.Count == 0)
        {
            Open();
            return;
        }

        outgoing.Header(ProtocolId.Sasl);
        _step = Step.SaslHeader;
    }

    /// <exception cref="AmqpException">The peer speaks something else.</exception>
    public void OnHeader(ProtocolHeader header)
    {
        var expected = ProtocolHeader.Of(_step == Step.SaslHeader ? ProtocolId.Sasl : ProtocolId.Amqp);
        if (header != expected)
            throw Refused(ErrorConditions.FramingError, $"We began with {expected}, and the peer wants {header}{Cure(header)}.");
        _step = _step == Step.SaslHeader ? Step.Mechanisms : Step.Open;
    }

    /// <exception cref="AmqpException">The peer refuses us, or does not keep to the protocol.</exception>
    public void OnFrame(in Frame frame)
    {
        if (frame.Body.IsEmpty && frame.Type == FrameType.Amqp)
            return;

        var isSasl = _step is Step.Mechanisms or Step.Outcome;
        var reader = new AmqpReader(frame.Body.Span, options.Limits);
        var performative = reader.ReadDescriptor();
        if (isSasl != (frame.Type == FrameType.Sasl))
            throw Refused(ErrorConditions.FramingError, $"The peer sent something else instead of {Awaits}.");
        switch (performative, _step)
        {
            case (Descriptor.SaslMechanisms, Step.Mechanisms):
                Choose(SaslMechanisms.Decode(ref reader));
                break;
            case (Descriptor.SaslChallenge, Step.Outcome):
                throw Refused(ErrorConditions.UnauthorizedAccess, "The peer asks for more than the initial response that our SASL mechanism has.");
            case (Descriptor.SaslOutcome, Step.Outcome):
                Check(SaslOutcome.Decode(ref reader));
                Open();
                break;
            case (Descriptor.Open, Step.Open):
                Check(Amqp.Open.Decode(ref reader));
                break;
            case (Descriptor.Close, Step.Open):
                throw AmqpException.FromPeer(AmqpLevel.Connection, Close.Decode(ref reader).Error);
            default:
                throw Refused(ErrorConditions.NotAllowed, $"The peer sent something else instead of {Awaits}.");
        }
    }

    private static string Cure(ProtocolHeader header) => header switch
    {
        { Id: (byte)ProtocolId.Sasl, Major: 1 } => ": it lets nobody in without SASL",
        { Id: (byte)ProtocolId.Amqp, Major: 1 } => ": it does without SASL",
        { Major: 0 } => ": it speaks AMQP 0-9-1, not AMQP 1.0",
        _ => "",
    };

    private static AmqpException Refused(Symbol condition, string why) => new(AmqpLevel.Connection, condition, why);

    private void Choose(SaslMechanisms offered)
    {
        var chosen = options.Sasl.FirstOrDefault(mechanism => offered.Mechanisms.Contains(mechanism.Name))
            ?? throw Refused(
                ErrorConditions.UnauthorizedAccess,
                $"The peer offers the SASL mechanisms {string.Join(", ", offered.Mechanisms)}; we have {string.Join(", ", options.Sasl)}.");
        using (outgoing.Begin(0, out var writer, FrameType.Sasl))
            new SaslInit(chosen.Name, chosen.InitialResponse.ToArray(), options.Host).Encode(writer);
        _step = Step.Outcome;
    }

    private static void Check(SaslOutcome outcome)
    {
        if (outcome.Code != SaslCode.Ok)
            throw Refused(ErrorConditions.UnauthorizedAccess, outcome.Code == SaslCode.NotAuthenticated ? "The peer does not let us in." : $"The peer's authentication failed: {outcome.Code}.");
    }

    private void Check(Open remote)
    {
        if (remote.MaxFrameSize < AmqpLimits.LeastFrameSize)
            throw Refused(ErrorConditions.InvalidField, $"The peer takes frames of no more than {remote.MaxFrameSize} bytes, but {AmqpLimits.LeastFrameSize} it must take.");
        if (remote.IdleTimeout is > 0 and var idle && TimeSpan.FromMilliseconds(idle) < s_shortestIdleTimeout)
            throw Refused(ErrorConditions.NotAllowed, $"The peer wants to hear from us every {idle} ms, which is too often.");
        outgoing.SetLargestFrame(remote.MaxFrameSize);
        (Remote, _step) = (remote, Step.Done);
    }

    private void Open()
    {
        outgoing.Header(ProtocolId.Amqp);
        using (outgoing.Begin(0, out var writer))
            Ours().Encode(writer);
        _step = Step.AmqpHeader;
    }

    private Open Ours() => new()
    {
        ContainerId = options.ContainerId,
        Hostname = options.Host,
        MaxFrameSize = options.Limits.MaxFrameSize,
        ChannelMax = options.ChannelMax,
        IdleTimeout = options.IdleTimeout > TimeSpan.Zero ? (uint)Math.Min(options.IdleTimeout.TotalMilliseconds / 2, uint.MaxValue) : null,
        Properties = options.Properties,
    };
}
