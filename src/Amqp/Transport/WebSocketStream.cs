using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Holdfast.Amqp;

/// <summary>
/// The client's end of a WebSocket as a stream of bytes. One thread reads and another writes; both block, and neither needs a third.
/// What the protocol makes the reader answer, the writer sends: it is told to flush.
/// </summary>
internal sealed class WebSocketStream(Stream inner, Action onControl) : DuplexStream
{
    private const byte Final = 0x80;
    private const byte Masked = 0x80;
    private const int LongestControl = 125;
    private const int LongestHeader = 14;
    private const int NormalClosure = 1000;

    private readonly byte[] _header = new byte[LongestHeader];
    private readonly Lock _gate = new();
    private readonly Queue<(WebSocketFrame Kind, byte[] Payload)> _controls = new();
    private byte[] _outgoing = [];
    private long _left;
    private string? _closing;

    public override int Read(Span<byte> buffer)
    {
        while (_left == 0)
        {
            // It ends what is carried by it like any end would, but whoever looks for the cause needs what the peer, or a proxy, has said of it.
            if (_closing is { } why)
                throw new IOException(why);
            if (!TryReadHeader())
                return 0;
        }

        var read = inner.Read(buffer[..(int)Math.Min(buffer.Length, _left)]);
        _left = read > 0 ? _left - read : throw new EndOfStreamException("The connection ended within a WebSocket frame.");
        return read;
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        SendControls();
        Send(WebSocketFrame.Binary, buffer);
    }

    public override void Flush()
    {
        SendControls();
        inner.Flush();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            inner.Dispose();
        base.Dispose(disposing);
    }

    // False where the peer has ended the connection between two frames.
    private bool TryReadHeader()
    {
        var read = inner.Read(_header.AsSpan(0, 1));
        if (read == 0)
            return false;
        inner.ReadExactly(_header.AsSpan(1, 1));

        var (first, second) = (_header[0], _header[1]);
        if ((first & 0x70) != 0 || (second & Masked) != 0)
            throw new IOException("The peer sent something that is no WebSocket frame of a server.");
        var length = ReadLength(second);
        switch ((WebSocketFrame)(first & 0x0f))
        {
            case WebSocketFrame.Binary or WebSocketFrame.Continuation:
                _left = length;
                return true;
            case var control and (WebSocketFrame.Close or WebSocketFrame.Ping or WebSocketFrame.Pong) when (first & Final) != 0 && length <= LongestControl:
                var payload = new byte[length];
                inner.ReadExactly(payload);
                OnControl(control, payload);
                return true;
            default:
                throw new IOException("The peer sent a WebSocket frame that is neither binary nor a control frame.");
        }
    }

    private long ReadLength(byte second)
    {
        if (second < 126)
            return second;
        var size = second == 126 ? 2 : 8;
        var bytes = _header.AsSpan(2, size);
        inner.ReadExactly(bytes);
        var length = size == 2 ? BinaryPrimitives.ReadUInt16BigEndian(bytes) : BinaryPrimitives.ReadInt64BigEndian(bytes);
        return length >= 0 ? length : throw new IOException("The peer sent a WebSocket frame of a negative length.");
    }

    private void OnControl(WebSocketFrame kind, byte[] payload)
    {
        if (kind == WebSocketFrame.Pong)
            return;
        if (kind == WebSocketFrame.Close)
            _closing = WhyClosed(payload);
        lock (_gate)
        {
            // A peer that only pings, and reads no answer, shall not fill our memory.
            if (_controls.Count == 0 || kind == WebSocketFrame.Close)
                _controls.Enqueue(kind == WebSocketFrame.Close ? (kind, payload.Length >= 2 ? payload[..2] : Closure()) : (WebSocketFrame.Pong, payload));
        }

        onControl();
    }

    private static string WhyClosed(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < 2)
            return "the peer, or a proxy on the way there, closed the WebSocket without saying why";
        var text = Encoding.UTF8.GetString(payload[2..]).Trim();
        return $"the peer, or a proxy on the way there, closed the WebSocket with code {BinaryPrimitives.ReadUInt16BigEndian(payload)}{(text.Length == 0 ? "" : $", {text}")}";
    }

    private static byte[] Closure()
    {
        var code = new byte[2];
        BinaryPrimitives.WriteUInt16BigEndian(code, NormalClosure);
        return code;
    }

    private void SendControls()
    {
        while (true)
        {
            (WebSocketFrame Kind, byte[] Payload) control;
            lock (_gate)
            {
                if (!_controls.TryDequeue(out control))
                    return;
            }

            Send(control.Kind, control.Payload);
        }
    }

    private void Send(WebSocketFrame kind, ReadOnlySpan<byte> payload)
    {
        if (_outgoing.Length < payload.Length + LongestHeader)
            _outgoing = new byte[payload.Length + LongestHeader];

        _outgoing[0] = (byte)(Final | (byte)kind);
        var size = 2;
        if (payload.Length < 126)
        {
            _outgoing[1] = (byte)(Masked | payload.Length);
        }
        else if (payload.Length <= ushort.MaxValue)
        {
            _outgoing[1] = Masked | 126;
            BinaryPrimitives.WriteUInt16BigEndian(_outgoing.AsSpan(2), (ushort)payload.Length);
            size += 2;
        }
        else
        {
            _outgoing[1] = Masked | 127;
            BinaryPrimitives.WriteInt64BigEndian(_outgoing.AsSpan(2), payload.Length);
            size += 8;
        }

        var mask = _outgoing.AsSpan(size, 4);
        RandomNumberGenerator.Fill(mask);
        WebSocketMask.Apply(mask, payload, _outgoing.AsSpan(size + 4));
        inner.Write(_outgoing.AsSpan(0, size + 4 + payload.Length));
    }
}
