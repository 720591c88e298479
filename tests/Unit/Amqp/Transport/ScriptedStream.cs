namespace Holdfast.Tests.Unit.Amqp.Transport;

/// <summary>Gives what was written down beforehand, a few bytes at a time, and keeps what is written to it.</summary>
internal sealed class ScriptedStream(byte[] incoming, int mostAtOnce = int.MaxValue) : Stream
{
    private readonly MemoryStream _incoming = new(incoming);
    private readonly MemoryStream _written = new();

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>What was written since this was asked last.</summary>
    public byte[] TakeWritten()
    {
        var written = _written.ToArray();
        _written.SetLength(0);
        return written;
    }

    public override int Read(byte[] buffer, int offset, int count) => _incoming.Read(buffer, offset, Math.Min(count, mostAtOnce));

    public override int Read(Span<byte> buffer) => _incoming.Read(buffer[..Math.Min(buffer.Length, mostAtOnce)]);

    public override void Write(byte[] buffer, int offset, int count) => _written.Write(buffer, offset, count);

    public override void Write(ReadOnlySpan<byte> buffer) => _written.Write(buffer);

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
