using System.Text;
using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class WritingTests
{
    [Fact]
    public void Each_value_is_written_in_its_shortest_encoding()
    {
        Written("40", null);
        Written("41", true);
        Written("42", false);
        Written("50ff", (byte)255);
        Written("60ffff", ushort.MaxValue);
        Written("43", 0u);
        Written("5201", 1u);
        Written("52ff", 255u);
        Written("7000000100", 256u);
        Written("44", 0ul);
        Written("53ff", 255ul);
        Written("800000000000000100", 256ul);
        Written("5180", sbyte.MinValue);
        Written("618000", short.MinValue);
        Written("547f", 127);
        Written("7100000080", 128);
        Written("5480", -128);
        Written("71ffffff7f", -129);
        Written("557f", 127L);
        Written("810000000000000080", 128L);
        Written("5580", -128L);
        Written("81ffffffffffffff7f", -129L);
        Written("723fc00000", 1.5f);
        Written("824004000000000000", 2.5);
        Written("7422500001", new Decimal32(0x22500001));
        Written("842234000000000001", new Decimal64(0x2234000000000001));
        Written("9400000000000000010000000000000002", new Decimal128(new UInt128(1, 2)));
        Written("730001f600", new Rune(0x1f600));
        Written("83ffffffffffffffff", new AmqpTimestamp(-1));
        Written("9800112233445566778899aabbccddeeff", new Guid("00112233-4455-6677-8899-aabbccddeeff"));
        Written("a002fffe", new byte[] { 0xff, 0xfe });
        Written("a002fffe", new ReadOnlyMemory<byte>([0xff, 0xfe]));
        Written("a102c3a9", "é");
        Written("a30161", new Symbol("a"));
        Written("a300", default(Symbol));
        Written("45", Array.Empty<object?>());
        Written("c003024041", new object?[] { null, true });
        Written("c003024041", new List<object?> { null, true });
        Written("c10100", new AmqpMap());
        Written("c103024340", new AmqpMap { [0u] = null });
        Written("c10502a3016141", new AmqpFields { ["a"] = true });
        Written("c10502a1016141", new ApplicationProperties { ["a"] = true });
        Written("00532445", new Described(0x24ul, Array.Empty<object?>()));
    }

    [Fact]
    public void Arrays_are_written_with_one_constructor_for_all_their_elements()
    {
        Written("e0020340", new NullArray(3));
        Written("e004025001ff", new UByteArray(new byte[] { 1, 255 }));
        Written("e00402560100", Of(true, false));
        Written("e00401600102", Of<ushort>(258));
        Written("e0060170 00000001", Of(1u));
        Written("e00a0180 0000000000000001", Of(1ul));
        Written("e00301 51ff", Of<sbyte>(-1));
        Written("e0040161ffff", Of<short>(-1));
        Written("e0060171ffffffff", Of(-1));
        Written("e00a0181ffffffffffffffff", Of(-1L));
        Written("e00a01830000000000000005", new[] { new AmqpTimestamp(5) });
        Written("e0120198 00112233445566778899aabbccddeeff", new[] { new Guid("00112233-4455-6677-8899-aabbccddeeff") });
        Written("e00502a3 00 0161", new Symbol[] { default, "a" });
        Written("e00701b10000000161", Of("a"));
        Written("e00701b00000000107", new[] { new byte[] { 7 } });
        Written("e01302d0 00000004 00000000 00000005 00000001 40", new object?[][] { [], [null] });
        Written("e00b01f0 00000005 00000003 40", new NestedArray([new NullArray(3)]));
        Written("e0050200 5305 40", new Described[] { new(5ul, null), new(5ul, null) });
        Written("e00400004440", Array.Empty<Described>());
    }

    [Theory]
    [InlineData(255, "a1ff", "a0ff", "a3ff")]
    [InlineData(256, "b100000100", "b000000100", "b300000100")]
    public void Text_and_binary_take_the_longer_form_from_256_bytes_on(int length, string text, string binary, string symbol)
    {
        Assert.StartsWith(text, Wire.Written(writer => writer.WriteString(new string('a', length))));
        Assert.StartsWith(binary, Wire.Written(writer => writer.WriteBinary(new byte[length])));
        Assert.StartsWith(symbol, Wire.Written(writer => writer.WriteSymbol(new string('a', length))));
        Assert.StartsWith(length == 255 ? "f00000010500000001a3ff" : "f00000010900000001b300000100", Wire.Written(writer => writer.WriteArray([new Symbol(new string('a', length))])));
    }

    [Theory]
    [InlineData(252, "c0ff01a0fc")]
    [InlineData(253, "d00000010300000001a0fd")]
    public void A_list_takes_the_longer_form_once_its_size_is_beyond_a_byte(int length, string head) =>
        Assert.StartsWith(head, Wire.Written(writer => writer.WriteList([new byte[length]])));

    [Theory]
    [InlineData(254, "c0fffe40")]
    [InlineData(255, "d000000103000000ff40")]
    [InlineData(256, "d0000001040000010040")]
    public void A_list_takes_the_longer_form_once_its_items_are_beyond_a_byte(int count, string head) =>
        Assert.StartsWith(head, Wire.Written(writer => writer.WriteList(new object?[count])));

    [Theory]
    [InlineData(255, "e002ff40")]
    [InlineData(256, "f0000000050000010040")]
    public void An_array_takes_the_longer_form_once_its_elements_are_beyond_a_byte(int count, string bytes) =>
        Assert.Equal(bytes, Wire.Written(writer => writer.WriteValue(new NullArray(count))));

    [Theory]
    [InlineData(0)]
    [InlineData(240)]
    [InlineData(60_000)]
    public void Lists_within_lists_have_the_right_sizes_whatever_each_of_them_needs(int most)
    {
        for (var length = most; length < most + 20; length++)
        {
            object?[] list = ["a", new object?[] { new object?[] { new byte[length] }, 1 }, new AmqpMap { ["k"] = new object?[] { new byte[length] } }];
            using var writer = new AmqpWriter(16);
            writer.WriteValue(list);

            Assert.Equal(Shown.Of(list), Wire.Read(writer.ToArray()));
        }
    }

    [Fact]
    public void What_AMQP_has_no_type_for_is_refused_by_name()
    {
        Refused("AMQP has no type for a Decimal", 1m);
        Refused("AMQP has no type for a DateTime", default(DateTime));
        Refused("AMQP has no type for a Uri", new Uri("http://localhost"));
        Refused("elements of type Decimal", Of(1m));
        Refused("ASCII", new Symbol("é"));
        Refused("ASCII", new Symbol[] { "é" });
        Refused("of one type", new NestedArray([new NullArray(1), "a"]));
        Refused("of one type", new Described[] { new(1ul, 1), new(1ul, 1u) });
        Refused("one descriptor", new Described[] { new(1ul, 1), new(2ul, 1) });
    }

    [Fact]
    public void Half_a_pair_of_surrogates_is_replaced()
    {
        Written("a105 61efbfbd62", "a\ud83db");
        Written("e00b01b1 00000005 61efbfbd62", Of("a\ud83db"));
    }

    [Fact]
    public void What_was_forgotten_is_written_over()
    {
        using var writer = new AmqpWriter();
        writer.WriteString("first");
        writer.Reset();
        writer.WriteUInt(7);

        Assert.Equal("5207", Wire.Hex(writer.Written));
    }

    private static T[] Of<T>(params T[] elements) => elements;

    private static void Refused(string why, object value)
    {
        using var writer = new AmqpWriter();
        Assert.Contains(why, Assert.ThrowsAny<ArgumentException>(() => writer.WriteValue(value)).Message);
    }

    private static void Written(string bytes, object? value) =>
        Assert.Equal(bytes.Replace(" ", ""), Wire.Written(writer => writer.WriteValue(value)));
}
