using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class LimitTests
{
    private static readonly AmqpLimits s_small = new() { MaxDepth = 3, MaxItems = 4, MaxBytelessItems = 5, MaxTextSize = 6, MaxBinarySize = 7 };

    [Theory]
    [InlineData("c0 08 01 c0 05 01 c0 02 01 40", null)]
    [InlineData("c0 0b 01 c0 08 01 c0 05 01 c0 02 01 40", "3 deep")]
    [InlineData("00 43 00 43 00 43 40", null)]
    [InlineData("00 43 00 43 00 43 00 43 40", "3 deep")]
    [InlineData("00 00 00 00 00 43 40", "3 deep")]
    [InlineData("e0 0e 01 f0 00000008 00000001 e0 02 01 40", null)]
    [InlineData("c0 0a 01 e0 07 01 e0 04 01 00 43 40", "3 deep")]
    [InlineData("c0 05 04 40404040", null)]
    [InlineData("c0 06 05 4040404040", "no more than 4")]
    [InlineData("c1 07 06 43404440a10040", "no more than 4")]
    [InlineData("e0 06 04 50 01020304", null)]
    [InlineData("e0 07 05 50 0102030405", "no more than 4")]
    [InlineData("f0 00000005 ffffffff 40", "no more than 4")]
    [InlineData("c0 06 02 e0 02 04 40 45", null)]
    [InlineData("c0 09 02 e0 02 03 40 e0 02 03 43", "6 elements that take no bytes, but no more than 5")]
    [InlineData("a1 06 'abcdef'", null)]
    [InlineData("a1 07 'abcdefg'", "no more than 6")]
    [InlineData("a3 07 'abcdefg'", "no more than 6")]
    [InlineData("b1 00000007 'abcdefg'", "no more than 6")]
    [InlineData("a0 07 00112233445566", null)]
    [InlineData("a0 08 0011223344556677", "no more than 7")]
    public void What_is_within_the_limits_is_read_and_what_is_beyond_is_refused(string bytes, string? why)
    {
        if (why is null)
            Wire.Read(Wire.Bytes(bytes), s_small);
        else
            Assert.Contains(why, Wire.Refusal(bytes, s_small));
    }

    [Theory]
    [InlineData("f0 00000005 ffffffff 40")]
    [InlineData("f0 00000005 00100000 45")]
    [InlineData("f0 00000005 00100000 41")]
    [InlineData("d0 00000004 00100000")]
    [InlineData("d1 00000004 00100000")]
    [InlineData("b0 7fffffff")]
    [InlineData("b1 7fffffff")]
    [InlineData("f0 00000009 00100000 98 00000000")]
    [InlineData("f0 0000000a 00100000 00 43 43 00000000")]
    public void Few_bytes_that_promise_much_are_refused_before_anything_is_allocated_for_it(string bytes)
    {
        var few = Wire.Bytes(bytes);
        Assert.Throws<AmqpDecodeException>(() => Wire.Read(few));

        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<AmqpDecodeException>(() => Wire.Read(few));

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * 1024);
    }

    [Theory]
    [InlineData("a list of zeros", "d0", "", "43")]
    [InlineData("a list of empty maps", "d0", "", "c10100")]
    [InlineData("a list of described zeros", "d0", "", "004343")]
    [InlineData("a list of arrays of zeros", "d0", "", "e0020044")]
    [InlineData("an array of described small numbers", "f0", "004352", "07")]
    [InlineData("an array of maps", "f0", "c1", "0100")]
    [InlineData("an array of arrays", "f0", "e0", "020040")]
    public void Even_the_dearest_bytes_cost_memory_only_in_proportion(string what, string compound, string constructor, string item)
    {
        const int Items = 200_000;
        const int MostForEach = 80;
        var body = $"{Items:x8}{constructor}{string.Concat(Enumerable.Repeat(item, Items))}";
        var bytes = Convert.FromHexString($"{compound}{body.Length / 2:x8}{body}");

        var before = GC.GetAllocatedBytesForCurrentThread();
        var value = new AmqpReader(bytes).ReadValue();
        var allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        Assert.NotNull(value);
        Assert.True(allocated <= (long)MostForEach * bytes.Length, $"{what}: {allocated} bytes for {bytes.Length}");
    }

    [Fact]
    public void Values_nested_without_end_are_refused_long_before_the_stack_is_used_up()
    {
        var described = new byte[1_000_000];
        var lists = NestedLists.Of(100_000);

        Assert.Contains("deep", Assert.Throws<AmqpDecodeException>(() => Wire.Read(described)).Message);
        Assert.Contains("deep", Assert.Throws<AmqpDecodeException>(() => Wire.Read(lists)).Message);
        Assert.Contains("ends where a value", Assert.Throws<AmqpDecodeException>(() => Skip(described)).Message);
    }

    [Fact]
    public void Limits_that_would_be_none_can_t_be_set()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new AmqpLimits { MaxDepth = 257 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new AmqpLimits { MaxFrameSize = uint.MaxValue });
        Assert.Throws<ArgumentOutOfRangeException>(() => new AmqpLimits { MaxFrameSize = 511 });
        Assert.Contains("256 deep", Assert.Throws<AmqpDecodeException>(() => Wire.Read(new byte[1_000_000], new AmqpLimits { MaxDepth = 256 })).Message);
    }

    [Fact]
    public void The_writer_does_not_go_deeper_than_the_reader_would()
    {
        object?[] deepest = [];
        for (var depth = 1; depth < AmqpLimits.Default.MaxDepth; depth++)
            deepest = [deepest];
        using var writer = new AmqpWriter();
        writer.WriteValue(deepest);
        Wire.Read(writer.ToArray());

        var endless = new List<object?>();
        endless.Add(endless);
        Assert.Throws<ArgumentException>(() => writer.WriteValue(endless));
        Assert.Throws<ArgumentException>(() => writer.WriteValue(new object?[] { deepest }));
        writer.Reset();
        writer.WriteValue(deepest);
    }

    private static void Skip(byte[] bytes) => new AmqpReader(bytes).Skip();
}
