using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class FramingTests
{
    private static readonly AmqpLimits s_small = new() { MaxFrameSize = 512 };

    [Fact]
    public void Protocol_headers_are_read_and_written()
    {
        Assert.Equal(Wire.Hex(Wire.Bytes("'AMQP' 03 010000")), Wire.Written(ProtocolHeader.Of(ProtocolId.Sasl).Write));
        Assert.Equal(ProtocolHeader.Of(ProtocolId.Amqp), ProtocolHeader.Read(Wire.Bytes("'AMQP' 00 010000")));
        Assert.Equal("AMQP 0 0.9.1", ProtocolHeader.Read(Wire.Bytes("'AMQP' 00 000901")).ToString());
        Assert.Contains("485454502F312E31", Assert.Throws<AmqpDecodeException>(() => ProtocolHeader.Read("HTTP/1.1 400"u8)).Message);
    }

    [Fact]
    public void A_frame_knows_its_size_once_it_is_ended()
    {
        Assert.Equal(Wire.Hex(Wire.Bytes("0000000c 02 00 0102 00 53 17 45")), Wire.Written(writer =>
        {
            var start = Frame.Begin(writer, FrameType.Amqp, 0x0102);
            new End().Encode(writer);
            Frame.End(writer, start);
        }));
        Assert.Equal(Wire.Hex(Wire.Bytes("00000008 02 00 0000")), Wire.Written(Frame.WriteEmpty));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(8)]
    [InlineData(1000)]
    public void Frames_are_whole_however_their_bytes_come(int piece)
    {
        var bytes = Wire.Bytes("'AMQP' 00 010000 0000000c 02 00 0001 00 53 17 45 00000008 02 00 0000 00000010 03 01 0002 ffffffff 00 53 18 45");
        using var frames = new FrameReader(s_small);
        var seen = new List<string>();

        for (var at = 0; at < bytes.Length; at += piece)
        {
            Feed(frames, bytes.AsSpan(at, Math.Min(piece, bytes.Length - at)));
            if (seen.Count == 0 && frames.TryReadProtocolHeader(out var header))
                seen.Add($"{header}");
            while (seen.Count > 0 && frames.TryReadFrame(out var frame))
                seen.Add($"{frame.Type} {frame.Channel} {Wire.Hex(frame.Body.Span)}");
        }

        Assert.Equal(["AMQP 0 1.0.0", "Amqp 1 00531745", "Amqp 0 ", "Sasl 2 00531845"], seen);
    }

    [Fact]
    public void Many_frames_in_a_row_each_keep_their_bytes()
    {
        using var frames = new FrameReader(AmqpLimits.Default);
        var random = new Random(7);
        var expected = new Queue<string>();
        using var stream = new AmqpWriter();
        for (var i = 0; i < 400; i++)
        {
            var body = new byte[random.Next(4) == 0 ? random.Next(60_000) : random.Next(300)];
            random.NextBytes(body);
            var start = Frame.Begin(stream, FrameType.Amqp, (ushort)i);
            stream.WriteRaw(body);
            Frame.End(stream, start);
            expected.Enqueue($"{i} {Wire.Hex(body)}");
        }

        var rest = stream.Written;
        while (!rest.IsEmpty)
        {
            var piece = Math.Min(rest.Length, random.Next(1, 20_000));
            Feed(frames, rest[..piece]);
            rest = rest[piece..];
            while (frames.TryReadFrame(out var frame))
                Assert.Equal(expected.Dequeue(), $"{frame.Channel} {Wire.Hex(frame.Body.Span)}");
        }

        Assert.Empty(expected);
    }

    [Theory]
    [InlineData("00000201 02 00 0000", "513 bytes, but no more than 512")]
    [InlineData("ffffffff 02 00 0000", "4294967295 bytes, but no more than 512")]
    [InlineData("00000007 02 00 0000", "7 bytes, fewer than its header")]
    [InlineData("00000000 02 00 0000", "0 bytes, fewer than its header")]
    [InlineData("00000008 01 00 0000", "data begin at byte 4")]
    [InlineData("00000008 03 00 0000", "data begin at byte 12")]
    [InlineData("00000008 02 02 0000", "type 2")]
    public void A_frame_that_can_t_be_is_refused_on_its_header_alone(string bytes, string why)
    {
        using var frames = new FrameReader(s_small);
        Feed(frames, Wire.Bytes(bytes));
        var before = GC.GetAllocatedBytesForCurrentThread();

        Assert.Contains(why, Assert.Throws<AmqpDecodeException>(() => frames.TryReadFrame(out _)).Message);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * 1024);
    }

    [Fact]
    public void The_largest_frame_that_is_allowed_is_taken()
    {
        using var frames = new FrameReader(s_small);
        Feed(frames, Wire.Bytes("00000200 02 00 0000"));
        Assert.False(frames.TryReadFrame(out _));
        Feed(frames, new byte[504]);

        Assert.True(frames.TryReadFrame(out var frame));
        Assert.Equal(504, frame.Body.Length);
    }

    private static void Feed(FrameReader frames, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var room = frames.Room().Span;
            var count = Math.Min(room.Length, bytes.Length);
            bytes[..count].CopyTo(room);
            frames.Advance(count);
            bytes = bytes[count..];
        }
    }
}
