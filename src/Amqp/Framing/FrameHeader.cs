using System.Buffers.Binary;

namespace Holdfast.Amqp;

/// <summary>What a frame is for.</summary>
internal enum FrameType : byte
{
    Amqp = 0,
    Sasl = 1,
}

/// <summary>The first eight bytes of a frame. Its size counts them, too; its data begin that many times four bytes into it.</summary>
internal readonly record struct FrameHeader(int Size, byte DataOffset, FrameType Type, ushort Channel)
{
    public const int Length = 8;

    private const byte LeastDataOffset = Length / 4;

    /// <summary>Where the frame's body begins.</summary>
    public int BodyStart => DataOffset * 4;

    /// <exception cref="AmqpDecodeException">No such frame may be sent to us.</exception>
    public static FrameHeader Read(ReadOnlySpan<byte> bytes, uint maxFrameSize)
    {
        var size = BinaryPrimitives.ReadUInt32BigEndian(bytes);
        if (size < Length)
            throw new AmqpDecodeException($"A frame of {size} bytes, fewer than its header has", 0);
        if (size > maxFrameSize)
            throw new AmqpDecodeException($"A frame of {size} bytes, but no more than {maxFrameSize} are taken", 0);

        var offset = bytes[4];
        if (offset < LeastDataOffset || offset * 4 > size)
            throw new AmqpDecodeException($"A frame of {size} bytes whose data begin at byte {offset * 4}", 4);

        return bytes[5] <= (byte)FrameType.Sasl
            ? new((int)size, offset, (FrameType)bytes[5], BinaryPrimitives.ReadUInt16BigEndian(bytes[6..]))
            : throw new AmqpDecodeException($"A frame of type {bytes[5]}, which there is not", 5);
    }
}
