using System.Net.Sockets;

namespace Holdfast.Amqp;

/// <summary>
/// A socket that blocks whoever reads or writes. A write that gets nowhere says so again and again, so that the writer, who keeps the time, is not
/// the one to lose it. One thread reads, another writes.
/// </summary>
internal sealed class SocketStream(Socket socket, Action onStalled) : Stream
{
    /// <summary>How long a write may get nowhere before it says so.</summary>
    public static readonly TimeSpan StallTime = TimeSpan.FromMilliseconds(250);

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer) => socket.Receive(buffer, SocketFlags.None);

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            buffer = buffer[socket.Send(buffer, SocketFlags.None, out var outcome)..];
            if (outcome == SocketError.TimedOut)
                onStalled();
            else if (outcome != SocketError.Success)
                throw new SocketException((int)outcome);
        }
    }

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            socket.Dispose();
        base.Dispose(disposing);
    }
}
