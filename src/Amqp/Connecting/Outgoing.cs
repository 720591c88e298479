namespace Holdfast.Amqp;

/// <summary>What has gathered for the writer thread: it takes all there is, while others go on behind the gate.</summary>
internal sealed class Outgoing : IDisposable
{
    // Messages wait with their senders beyond this, and frames are no larger than this even where the peer takes larger ones.
    private const int Roomy = 256 * 1024;
    private const int LargestFrame = 128 * 1024;

    private AmqpWriter _filling = new(Roomy);
    private AmqpWriter _sending = new(Roomy);
    private uint _largestFrame = AmqpLimits.LeastFrameSize;
    private OpenRange _range;

    public bool IsEmpty => _filling.Length == 0;

    /// <summary>Whether messages may be added.</summary>
    public bool HasRoom => _filling.Length < Roomy;

    /// <summary>The peer has said what it takes.</summary>
    public void SetLargestFrame(uint peersLimit) => _largestFrame = Math.Min(peersLimit, LargestFrame);

    public void Header(ProtocolId protocol) => ProtocolHeader.Of(protocol).Write(_filling);

    /// <summary>A frame, which ends when it is disposed of; its performative is written meanwhile.</summary>
    public OpenFrame Begin(ushort channel, out AmqpWriter writer, FrameType type = FrameType.Amqp)
    {
        writer = _filling;
        return new OpenFrame(this, Frame.Begin(_filling, type, channel));
    }

    /// <summary>An empty frame: a sign of life.</summary>
    public void Beat() => Frame.WriteEmpty(_filling);

    /// <summary>As much of a message as fits into one frame; how much that was.</summary>
    public int Transfer(ushort channel, in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        var start = _filling.Length;
        using var frame = Begin(channel, out var writer);
        transfer.Encode(writer);
        if (Left(start) < payload.Length)
        {
            writer.Truncate(start + FrameHeader.Length);
            (transfer with { More = true }).Encode(writer);
            payload = payload[..Left(start)];
        }

        writer.WriteRaw(payload);
        return payload.Length;
    }

    /// <summary>One delivery's state, which joins its neighbour's frame where that is still here and says the same.</summary>
    public void Disposition(ushort channel, Role role, uint id, bool settled, DeliveryState? state)
    {
        var range = new OpenRange(channel, role, settled, state, id, id, _filling.Length, 0);
        if (_range.IsContinuedBy(range, _filling.Length))
        {
            range = range with { First = _range.First, Start = _range.Start };
            _filling.Truncate(_range.Start);
        }

        using (Begin(channel, out var writer))
            range.Disposition.Encode(writer);
        _range = range with { End = _filling.Length };
    }

    /// <summary>The writer's: what has gathered. It is left alone until the next call.</summary>
    public ReadOnlySpan<byte> Take()
    {
        _sending.Reset();
        (_filling, _sending, _range) = (_sending, _filling, default);
        return _sending.Written;
    }

    public void Dispose()
    {
        _filling.Dispose();
        _sending.Dispose();
    }

    private int Left(int start) => (int)_largestFrame - (_filling.Length - start);

    private void End(int start)
    {
        // An exception is on its way to whoever gave a value that can't be written: no part of the frame may leave.
        if (!_filling.IsWhole)
        {
            _filling.Truncate(start);
            return;
        }

        var size = _filling.Length - start;
        if (size > _largestFrame)
        {
            _filling.Truncate(start);
            throw new AmqpException(AmqpLevel.Link, ErrorConditions.FrameSizeTooSmall, $"It takes a frame of {size} bytes, and the peer takes {_largestFrame}.");
        }

        Frame.End(_filling, start);
    }

    /// <summary>A frame that is being written. Behind the gate.</summary>
    public readonly ref struct OpenFrame(Outgoing outgoing, int start)
    {
        public void Dispose() => outgoing.End(start);
    }

    /// <summary>The row of deliveries that the last frame speaks of.</summary>
    private readonly record struct OpenRange(ushort Channel, Role Role, bool IsSettled, DeliveryState? State, uint First, uint Last, int Start, int End)
    {
        public Disposition Disposition => new() { Role = Role, First = First, Last = Last == First ? null : Last, Settled = IsSettled, State = State };

        public bool IsContinuedBy(in OpenRange next, int length) =>
            End > 0 && End == length && Channel == next.Channel && Role == next.Role && IsSettled == next.IsSettled
            && ReferenceEquals(State, next.State) && next.First == Serial.Plus(Last, 1);
    }
}
