using System.Buffers;

namespace Holdfast.Amqp;

/// <summary>
/// Cuts protocol headers and frames out of the bytes of a connection, however they come in pieces: read some into
/// <see cref="Room"/>, tell <see cref="Advance"/> how many, and take out what is whole by now. On the connection's reader thread.
/// </summary>
internal sealed class FrameReader : IDisposable
{
    private const int LeastRoom = 16 * 1024;

    private readonly uint _maxFrameSize;
    private byte[] _buffer;
    private int _start;
    private int _end;
    private int _needed;

    public FrameReader(AmqpLimits limits)
    {
        _maxFrameSize = limits.MaxFrameSize;
        _buffer = ArrayPool<byte>.Shared.Rent(4 * LeastRoom);
    }

    /// <summary>Where the next bytes are to be put: never empty, and enough for the rest of a frame whose header is there.</summary>
    public Memory<byte> Room()
    {
        var kept = _end - _start;
        var wanted = Math.Max(LeastRoom, _needed - kept);
        if (kept == 0)
            (_start, _end) = (0, 0);
        if (_buffer.Length - _end < wanted)
            Move(kept, kept + wanted);
        return _buffer.AsMemory(_end);
    }

    public void Advance(int count) => _end += count;

    /// <summary>While a header is due, which only the handshake knows.</summary>
    /// <exception cref="AmqpDecodeException">The peer speaks something else.</exception>
    public bool TryReadProtocolHeader(out ProtocolHeader header)
    {
        header = default;
        if (_end - _start < ProtocolHeader.Size)
            return false;
        header = ProtocolHeader.Read(_buffer.AsSpan(_start));
        _start += ProtocolHeader.Size;
        return true;
    }

    /// <summary>The frame's body holds until the next call of any method here.</summary>
    /// <exception cref="AmqpDecodeException">What came can't be a frame, or is one that is too large.</exception>
    public bool TryReadFrame(out Frame frame)
    {
        frame = default;
        var available = _buffer.AsSpan(_start, _end - _start);
        if (available.Length < FrameHeader.Length)
            return false;

        var header = FrameHeader.Read(available, _maxFrameSize);
        if (available.Length < header.Size)
        {
            _needed = header.Size;
            return false;
        }

        frame = new(header.Type, header.Channel, _buffer.AsMemory(_start + header.BodyStart, header.Size - header.BodyStart));
        _start += header.Size;
        _needed = 0;
        return true;
    }

    // To the front, and into a larger buffer where this one is too small: no larger than a frame that was checked, and some room.
    private void Move(int kept, int size)
    {
        var target = size <= _buffer.Length ? _buffer : ArrayPool<byte>.Shared.Rent(size);
        _buffer.AsSpan(_start, kept).CopyTo(target);
        if (target != _buffer)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = target;
        (_start, _end) = (0, kept);
    }

    public void Dispose()
    {
        var buffer = _buffer;
        _buffer = [];
        (_start, _end) = (0, 0);
        ArrayPool<byte>.Shared.Return(buffer);
    }
}
