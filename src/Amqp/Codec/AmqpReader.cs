using System.Runtime.CompilerServices;

namespace Holdfast.Amqp;

/// <summary>
/// Reads AMQP values, one after the other, out of bytes that anyone may have sent: whatever is wrong with them is an
/// <see cref="AmqpDecodeException"/>, and nothing is allocated on the strength of a number alone. A typed read takes every
/// encoding of its type. On any thread; it is a value: who passes it on to be moved passes it by reference.
/// </summary>
internal ref partial struct AmqpReader
{
    private readonly AmqpLimits _limits;

    // From the very first byte up to the end of what is being read, so that positions are the same at every depth.
    private ReadOnlySpan<byte> _bytes;
    private int _position;
    private int _depth;
    private int _byteless;

    public AmqpReader(ReadOnlySpan<byte> bytes)
        : this(bytes, AmqpLimits.Default)
    {
    }

    public AmqpReader(ReadOnlySpan<byte> bytes, AmqpLimits limits)
    {
        _bytes = bytes;
        _limits = limits;
    }

    public readonly int Position => _position;

    public readonly int Remaining => _bytes.Length - _position;

    public readonly bool IsAtEnd => _position == _bytes.Length;

    /// <summary>What is left, whatever it is.</summary>
    public readonly ReadOnlySpan<byte> Rest => _bytes[_position..];

    /// <summary>Reads a null if that is next.</summary>
    public bool TryReadNull()
    {
        if (IsAtEnd || _bytes[_position] != FormatCode.Null)
            return false;
        _position++;
        return true;
    }

    private byte ReadCode() => Fixed(1)[0];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadOnlySpan<byte> Fixed(int size)
    {
        if (size > Remaining)
            throw TooShort(size);
        var taken = _bytes.Slice(_position, size);
        _position += size;
        return taken;
    }

    private readonly AmqpDecodeException TooShort(long size) =>
        Wrong(size == 1 ? "It ends where a value should begin or go on" : $"{size} bytes are called for, but {Remaining} are left");

    private readonly AmqpDecodeException Unexpected(byte code, string type) =>
        Wrong($"Code 0x{code:x2} where {type} is expected", 1);

    private readonly AmqpDecodeException Wrong(string problem, int back = 0) => new(problem, _position - back);
}
