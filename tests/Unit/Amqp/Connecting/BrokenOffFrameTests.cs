using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class BrokenOffFrameTests
{
    [Fact]
    public void A_value_that_can_t_be_written_takes_its_whole_frame_back_and_no_other()
    {
        using var outgoing = new Outgoing();
        outgoing.Beat();

        // More often than values may lie within one another: what is left of one must not weigh on the next.
        for (var i = 0; i < 40; i++)
            Assert.Throws<ArgumentException>(() => Write(outgoing, new() { ["id"] = 1m }));
        Assert.Throws<ArgumentException>(() => Write(outgoing, new() { ["é"] = 1 }));
        Write(outgoing, new() { ["id"] = 1 });

        Assert.Equal(
            Wire.Hex(Wire.Bytes("00000008 02000000 00000021 02000001 00 53 18 c0 14 01 00 53 1d c0 0e 03 a3 01 'e' 40 c1 07 02 a3 02 'id' 54 01")),
            Wire.Hex(outgoing.Take()));
    }

    private static void Write(Outgoing outgoing, AmqpFields info)
    {
        using var frame = outgoing.Begin(1, out var writer);
        new Close(new AmqpError("e", Info: info)).Encode(writer);
    }
}
