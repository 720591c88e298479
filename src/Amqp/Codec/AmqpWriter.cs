using System.Buffers;

namespace Holdfast.Amqp;

/// <summary>
/// Writes AMQP values, one behind the other, each in its shortest encoding, into a buffer that it borrows and lets grow.
/// One thread at a time.
/// </summary>
public sealed partial class AmqpWriter : IDisposable
{
    private const int FirstSize = 512;

    private byte[] _buffer;
    private int _depth;

    public AmqpWriter(int size = FirstSize) => _buffer = ArrayPool<byte>.Shared.Rent(size);

    public int Length { get; private set; }

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, Length);

    /// <summary>As long as nothing else is written, and the writer lives.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _buffer.AsMemory(0, Length);

    /// <summary>Bytes that are AMQP already.</summary>
    internal void WriteRaw(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Take(bytes.Length));

    public byte[] ToArray() => Written.ToArray();

    /// <summary>Forgets what was written, and keeps the buffer.</summary>
    public void Reset() => Truncate(0);

    public void Dispose()
    {
        var buffer = _buffer;
        _buffer = [];
        Length = 0;
        ArrayPool<byte>.Shared.Return(buffer);
    }

    /// <summary>Whether every list, map and array that was begun has been ended: an exception may have come between.</summary>
    internal bool IsWhole => _depth == 0;

    /// <summary>Forgets what was written behind that length, which nothing may surround.</summary>
    internal void Truncate(int length)
    {
        Length = length;
        _depth = 0;
    }

    /// <summary>What was written from there on, to be patched.</summary>
    internal Span<byte> From(int position) => _buffer.AsSpan(position, Length - position);

    private Span<byte> Take(int size)
    {
        if (size > _buffer.Length - Length)
            Grow(size);
        var taken = _buffer.AsSpan(Length, size);
        Length += size;
        return taken;
    }

    private void Grow(int size)
    {
        var needed = checked(Length + size);
        var larger = ArrayPool<byte>.Shared.Rent((int)Math.Clamp(2L * _buffer.Length, needed, Math.Max(needed, Array.MaxLength)));
        Written.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }
}
