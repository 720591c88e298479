using System.Buffers.Binary;

namespace Holdfast.Amqp;

/// <summary>A frame as it came. Its body is borrowed: it holds until the next frame is asked for. An empty one says only that its sender lives.</summary>
internal readonly record struct Frame(FrameType Type, ushort Channel, ReadOnlyMemory<byte> Body)
{
    /// <summary>Writes a frame's header; its body is to be written next, and <see cref="End"/> says how long it became.</summary>
    public static int Begin(AmqpWriter writer, FrameType type, ushort channel)
    {
        var start = writer.Length;
        writer.WriteRaw([0, 0, 0, 0, FrameHeader.Length / 4, (byte)type, (byte)(channel >> 8), (byte)channel]);
        return start;
    }

    public static void End(AmqpWriter writer, int start) =>
        BinaryPrimitives.WriteUInt32BigEndian(writer.From(start), (uint)(writer.Length - start));

    /// <summary>A sign of life.</summary>
    public static void WriteEmpty(AmqpWriter writer) => End(writer, Begin(writer, FrameType.Amqp, 0));
}
