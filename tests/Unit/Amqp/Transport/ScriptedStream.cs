using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Transport;

/// <summary>Gives what was written down beforehand, a few bytes at a time, and keeps what is written to it.</summary>
internal sealed class ScriptedStream(byte[] incoming, int mostAtOnce = int.MaxValue) : DuplexStream
{
    private readonly MemoryStream _incoming = new(incoming);
    private readonly MemoryStream _written = new();

    /// <summary>What was written since this was asked last.</summary>
    public byte[] TakeWritten()
    {
        var written = _written.ToArray();
        _written.SetLength(0);
        return written;
    }

    public override int Read(Span<byte> buffer) => _incoming.Read(buffer[..Math.Min(buffer.Length, mostAtOnce)]);

    public override void Write(ReadOnlySpan<byte> buffer) => _written.Write(buffer);
}
