using System.Buffers.Binary;
using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Transport;

public sealed class WebSocketStreamTests
{
    private int _flushesAskedFor;

    [Theory]
    [InlineData(0)]
    [InlineData(125)]
    [InlineData(126)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(200_003)]
    public void What_is_written_is_one_masked_frame(int size)
    {
        var (inner, stream) = Open([]);
        var sent = Bytes(size);
        stream.Write(sent);
        var (opcode, payload) = Unmasked(inner.TakeWritten());
        Assert.Equal(0x82, opcode);
        Assert.Equal(sent, payload);
    }

    [Fact]
    public void Each_frame_has_a_mask_of_its_own()
    {
        var (inner, stream) = Open([]);
        stream.Write(Bytes(50));
        var first = inner.TakeWritten();
        stream.Write(Bytes(50));
        Assert.NotEqual(first, inner.TakeWritten());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(int.MaxValue)]
    public void Frames_are_read_as_one_row_of_bytes_however_they_are_cut(int mostAtOnce)
    {
        byte[] incoming =
        [
            .. Framed(0x82, Bytes(3)),
            .. Framed(0x02, Bytes(200)),
            .. Framed(0x89, [7, 7]),
            .. Framed(0x00, Bytes(5)),
            .. Framed(0x80, Bytes(70_000)),
            .. Framed(0x82, []),
            .. Framed(0x82, Bytes(1)),
        ];
        var (_, stream) = Open(incoming, mostAtOnce);
        using var read = new MemoryStream();
        stream.CopyTo(read);
        Assert.Equal(Bytes(3).Concat(Bytes(200)).Concat(Bytes(5)).Concat(Bytes(70_000)).Concat(Bytes(1)), read.ToArray());
    }

    [Fact]
    public void A_ping_is_answered_by_whoever_writes_next()
    {
        var (inner, stream) = Open([.. Framed(0x89, [1, 2, 3]), .. Framed(0x82, [9])]);
        Assert.Equal(9, stream.ReadByte());
        Assert.Equal(1, _flushesAskedFor);
        Assert.Empty(inner.TakeWritten());

        stream.Flush();
        var (opcode, payload) = Unmasked(inner.TakeWritten());
        Assert.Equal(0x8a, opcode);
        Assert.Equal([1, 2, 3], payload);
        stream.Flush();
        Assert.Empty(inner.TakeWritten());
    }

    [Fact]
    public void Pings_that_nobody_hears_the_answers_to_take_no_memory()
    {
        var (inner, stream) = Open([.. Enumerable.Repeat(Framed(0x89, Bytes(100)), 500).SelectMany(ping => ping), .. Framed(0x82, [9])]);
        stream.ReadByte();
        stream.Flush();
        Assert.InRange(inner.TakeWritten().Length, 1, 200);
    }

    [Theory]
    [InlineData("", "without saying why", "03 e8")]
    [InlineData("03 e9", "with code 1001", "03 e9")]
    [InlineData("03 f3 62 75 73 79", "with code 1011, busy", "03 f3")]
    public void A_close_ends_the_stream_with_what_it_says_and_is_answered(string said, string told, string answered)
    {
        var (inner, stream) = Open([.. Framed(0x82, [9]), .. Framed(0x88, Hex(said)), .. Framed(0x82, [9])]);
        Assert.Equal(9, stream.ReadByte());

        var problem = Assert.Throws<IOException>(() => stream.ReadByte());
        Assert.Equal($"the peer, or a proxy on the way there, closed the WebSocket {told}", problem.Message);
        stream.Flush();
        var (opcode, payload) = Unmasked(inner.TakeWritten());
        Assert.Equal(0x88, opcode);
        Assert.Equal(Hex(answered), payload);
    }

    [Fact]
    public void A_connection_that_ends_between_frames_ends_the_stream_and_one_within_a_frame_fails()
    {
        Assert.Equal(-1, Open([]).Stream.ReadByte());
        Assert.Throws<EndOfStreamException>(() => Open([0x82, 5, 1]).Stream.CopyTo(Stream.Null));
        Assert.Throws<EndOfStreamException>(() => Open([0x82]).Stream.ReadByte());
    }

    [Theory]
    [InlineData("81 01 41")]
    [InlineData("c2 01 41")]
    [InlineData("82 81 00 00 00 00 41")]
    [InlineData("83 01 41")]
    [InlineData("09 00")]
    [InlineData("89 7e 00 7e")]
    [InlineData("89 7e 00 80")]
    [InlineData("82 7f ff ff ff ff ff ff ff ff")]
    public void What_no_server_may_send_is_refused(string bytes) =>
        Assert.Throws<IOException>(() => Open(Hex(bytes)).Stream.ReadByte());

    private static byte[] Hex(string bytes) => Convert.FromHexString(bytes.Replace(" ", "", StringComparison.Ordinal));

    private static byte[] Bytes(int size) => [.. Enumerable.Range(0, size).Select(n => (byte)(n * 7))];

    private static byte[] Framed(byte first, byte[] payload)
    {
        var length = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(length, payload.Length);
        return payload.Length switch
        {
            < 126 => [first, (byte)payload.Length, .. payload],
            < 65_536 => [first, 126, .. length[6..], .. payload],
            _ => [first, 127, .. length, .. payload],
        };
    }

    private static (int Opcode, byte[] Payload) Unmasked(byte[] frame)
    {
        Assert.True((frame[1] & 0x80) != 0, "It is not masked.");
        var (length, at) = (frame[1] & 0x7f) switch
        {
            126 => (BinaryPrimitives.ReadUInt16BigEndian(frame.AsSpan(2)), 4),
            127 => ((int)BinaryPrimitives.ReadInt64BigEndian(frame.AsSpan(2)), 10),
            var small => (small, 2),
        };
        var mask = frame[at..(at + 4)];
        var payload = frame[(at + 4)..];
        Assert.Equal(length, payload.Length);

        // The protocol has no length said in more bytes than it needs.
        Assert.Equal(length switch { < 126 => 2, < 65_536 => 4, _ => 10 }, at);
        return (frame[0], [.. payload.Select((value, i) => (byte)(value ^ mask[i % 4]))]);
    }

    private (ScriptedStream Inner, WebSocketStream Stream) Open(byte[] incoming, int mostAtOnce = int.MaxValue)
    {
        var inner = new ScriptedStream(incoming, mostAtOnce);
        return (inner, new WebSocketStream(inner, () => _flushesAskedFor++));
    }
}
