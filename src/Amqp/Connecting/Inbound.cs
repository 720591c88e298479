namespace Holdfast.Amqp;

/// <summary>What comes from the peer: cut into headers and frames, each handed to whom it concerns. The reader thread's, behind the gate where it moves anything.</summary>
internal sealed class Inbound(AmqpConnection connection, AmqpConnectionOptions options, Handshake handshake, Channels channels) : IDisposable
{
    private readonly FrameReader _frames = new(options.Limits);
    private readonly List<AmqpReceiver> _inBurst = [];

    // Where the next frame begins is anyone's guess, once one could not be read.
    private bool _isDeaf;

    /// <summary>Where the reader puts what comes.</summary>
    public Span<byte> Room() => _frames.Room().Span;

    /// <summary>So much has come.</summary>
    public void Take(int count)
    {
        if (!_isDeaf)
            _frames.Advance(count);
        while (TryTakeNext())
        {
        }

        foreach (var receiver in _inBurst)
            EndBurst(receiver);
        _inBurst.Clear();
    }

    /// <summary>Outside the gate: to be told when all that has come is worked through.</summary>
    public void AwaitBurst(AmqpReceiver receiver) => _inBurst.Add(receiver);

    public void Dispose() => _frames.Dispose();

    // One header or frame, and what it sets off.
    private bool TryTakeNext()
    {
        using var turn = connection.Gate.Enter();
        if (_isDeaf || connection.Stage >= ConnectionStage.Over)
            return false;
        try
        {
            if (handshake.AwaitsHeader)
                return TryTakeHeader();
            if (!_frames.TryReadFrame(out var frame))
                return false;
            OnFrame(frame);
        }
        catch (AmqpException problem)
        {
            OnViolation(problem);
        }
        catch (AmqpDecodeException problem)
        {
            OnViolation(new AmqpException(AmqpLevel.Connection, ErrorConditions.DecodeError, $"The peer sent what can't be read: {problem.Message}", problem));
        }

        return true;
    }

    private bool TryTakeHeader()
    {
        if (!_frames.TryReadProtocolHeader(out var header))
            return false;
        handshake.OnHeader(header);
        return true;
    }

    private void OnFrame(in Frame frame)
    {
        if (connection.Stage == ConnectionStage.Opening)
        {
            handshake.OnFrame(frame);
            if (handshake.Remote is not null)
                connection.OnOpen();
            return;
        }

        if (frame.Type != FrameType.Amqp)
            throw new AmqpException(AmqpLevel.Connection, ErrorConditions.FramingError, "The peer sent a SASL frame on an open connection.");
        if (frame.Body.IsEmpty)
            return;
        var reader = new AmqpReader(frame.Body.Span, options.Limits);
        var performative = reader.ReadDescriptor();
        if (performative == Descriptor.Close)
            connection.OnClose(Close.Decode(ref reader));
        else if (connection.Stage == ConnectionStage.Open)
            channels.OnFrame(frame.Channel, performative, ref reader);
    }

    private void OnViolation(AmqpException problem)
    {
        _isDeaf = true;
        connection.OnViolation(problem);
    }

    private void EndBurst(AmqpReceiver receiver)
    {
        try
        {
            receiver.EndBurst();
        }
        catch (Exception fault)
        {
            connection.OnFault(fault);
        }
    }
}
