using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class ReadingTests
{
    [Theory]
    [InlineData("40", "null")]
    [InlineData("41", "Boolean True")]
    [InlineData("42", "Boolean False")]
    [InlineData("56 01", "Boolean True")]
    [InlineData("56 00", "Boolean False")]
    [InlineData("50 ff", "Byte 255")]
    [InlineData("60 fffe", "UInt16 65534")]
    [InlineData("43", "UInt32 0")]
    [InlineData("52 80", "UInt32 128")]
    [InlineData("70 80000001", "UInt32 2147483649")]
    [InlineData("44", "UInt64 0")]
    [InlineData("53 80", "UInt64 128")]
    [InlineData("80 8000000000000001", "UInt64 9223372036854775809")]
    [InlineData("51 80", "SByte -128")]
    [InlineData("61 8000", "Int16 -32768")]
    [InlineData("54 ff", "Int32 -1")]
    [InlineData("71 fffffffe", "Int32 -2")]
    [InlineData("55 80", "Int64 -128")]
    [InlineData("81 8000000000000000", "Int64 -9223372036854775808")]
    [InlineData("72 3fc00000", "float 0x3fc00000")]
    [InlineData("72 7fc00001", "float 0x7fc00001")]
    [InlineData("82 4004000000000000", "double 0x4004000000000000")]
    [InlineData("74 22500001", "Decimal32(Bits = UInt32 575668225)")]
    [InlineData("84 2234000000000001", "Decimal64(Bits = UInt64 2464594896078503937)")]
    [InlineData("94 00000000000000010000000000000002", "Decimal128(Bits = UInt128 18446744073709551618)")]
    [InlineData("73 00000041", "Rune A")]
    [InlineData("73 0001f600", "Rune 😀")]
    [InlineData("83 00000132f7e1a000", "AmqpTimestamp(Milliseconds = Int64 1318418751488)")]
    [InlineData("83 ffffffffffffffff", "AmqpTimestamp(Milliseconds = Int64 -1)")]
    [InlineData("98 00112233445566778899aabbccddeeff", "Guid 00112233-4455-6677-8899-aabbccddeeff")]
    [InlineData("a0 03 010203", "0x010203")]
    [InlineData("a0 00", "0x")]
    [InlineData("b0 00000002 fffe", "0xFFFE")]
    [InlineData("a1 02 c3a9", "\"é\"")]
    [InlineData("a1 00", "\"\"")]
    [InlineData("b1 00000001 'x'", "\"x\"")]
    [InlineData("a3 03 'abc'", "Symbol abc")]
    [InlineData("b3 00000003 'abc'", "Symbol abc")]
    public void Each_encoding_of_each_scalar_type_is_read(string bytes, string value) => Assert.Equal(value, Wire.Read(bytes));

    [Theory]
    [InlineData("45", "Object[][]")]
    [InlineData("c0 01 00", "Object[][]")]
    [InlineData("d0 00000004 00000000", "Object[][]")]
    [InlineData("c0 04 03 43 40 41", "Object[][UInt32 0, null, Boolean True]")]
    [InlineData("d0 00000006 00000002 54 01", null)]
    [InlineData("d0 00000006 00000001 54 01", "Object[][Int32 1]")]
    [InlineData("c1 01 00", "AmqpMap{}")]
    [InlineData("c1 08 04 a1 01 'b' 41 a3 00 43", "AmqpMap{\"b\": Boolean True, Symbol : UInt32 0}")]
    [InlineData("d1 00000007 00000002 54 05 40", "AmqpMap{Int32 5: null}")]
    [InlineData("c0 03 01 c0 00", null)]
    [InlineData("c0 04 01 c0 01 00", "Object[][Object[][]]")]
    [InlineData("00 53 24 45", "Described(Descriptor = UInt64 36, Value = Object[][])")]
    [InlineData("00 a3 01 'd' 00 53 01 40", "Described(Descriptor = Symbol d, Value = Described(Descriptor = UInt64 1, Value = null))")]
    public void Lists_maps_and_described_values_are_read(string bytes, string? value) => Check(bytes, value);

    [Theory]
    [InlineData("e0 02 00 40", "NullArray(Length = Int32 0)")]
    [InlineData("e0 02 03 40", "NullArray(Length = Int32 3)")]
    [InlineData("e0 02 02 41", "Boolean[][Boolean True, Boolean True]")]
    [InlineData("e0 02 01 42", "Boolean[][Boolean False]")]
    [InlineData("e0 04 02 56 0100", "Boolean[][Boolean True, Boolean False]")]
    [InlineData("e0 04 02 50 01ff", "UByteArray(Items = 0x01FF)")]
    [InlineData("e0 04 01 60 0102", "UInt16[][UInt16 258]")]
    [InlineData("e0 02 02 43", "UInt32[][UInt32 0, UInt32 0]")]
    [InlineData("e0 04 02 52 0102", "UInt32[][UInt32 1, UInt32 2]")]
    [InlineData("e0 06 01 70 00000100", "UInt32[][UInt32 256]")]
    [InlineData("e0 02 02 44", "UInt64[][UInt64 0, UInt64 0]")]
    [InlineData("e0 03 01 53 07", "UInt64[][UInt64 7]")]
    [InlineData("e0 0a 01 80 0000000000000007", "UInt64[][UInt64 7]")]
    [InlineData("e0 04 02 51 01ff", "SByte[][SByte 1, SByte -1]")]
    [InlineData("e0 04 01 61 ffff", "Int16[][Int16 -1]")]
    [InlineData("e0 04 02 54 01ff", "Int32[][Int32 1, Int32 -1]")]
    [InlineData("e0 06 01 71 fffffffe", "Int32[][Int32 -2]")]
    [InlineData("e0 03 01 55 fe", "Int64[][Int64 -2]")]
    [InlineData("f0 0000000d 00000001 81 fffffffffffffffe", "Int64[][Int64 -2]")]
    [InlineData("e0 06 01 72 3fc00000", "Single[][float 0x3fc00000]")]
    [InlineData("e0 0a 01 82 4004000000000000", "Double[][double 0x4004000000000000]")]
    [InlineData("e0 06 01 74 00000001", "Decimal32[][Decimal32(Bits = UInt32 1)]")]
    [InlineData("e0 0a 01 84 0000000000000001", "Decimal64[][Decimal64(Bits = UInt64 1)]")]
    [InlineData("e0 12 01 94 00000000000000000000000000000001", "Decimal128[][Decimal128(Bits = UInt128 1)]")]
    [InlineData("e0 06 01 73 00000041", "Rune[][Rune A]")]
    [InlineData("e0 0a 01 83 0000000000000005", "AmqpTimestamp[][AmqpTimestamp(Milliseconds = Int64 5)]")]
    [InlineData("e0 12 01 98 00112233445566778899aabbccddeeff", "Guid[][Guid 00112233-4455-6677-8899-aabbccddeeff]")]
    [InlineData("e0 06 02 a0 00 02 0102", "Byte[][][0x, 0x0102]")]
    [InlineData("e0 07 01 b0 00000001 05", "Byte[][][0x05]")]
    [InlineData("e0 04 01 a1 01 'x'", "String[][\"x\"]")]
    [InlineData("e0 07 01 b1 00000001 'x'", "String[][\"x\"]")]
    [InlineData("e0 05 02 a3 00 01 'x'", "Symbol[][Symbol , Symbol x]")]
    [InlineData("e0 07 01 b3 00000001 'x'", "Symbol[][Symbol x]")]
    [InlineData("e0 02 02 45", "Object[][][Object[][], Object[][]]")]
    [InlineData("e0 07 02 c0 02 01 40 01 00", "Object[][][Object[][null], Object[][]]")]
    [InlineData("e0 0b 01 d0 00000005 00000001 41", "Object[][][Object[][Boolean True]]")]
    [InlineData("e0 06 01 c1 03 02 43 41", "AmqpMap[][AmqpMap{UInt32 0: Boolean True}]")]
    [InlineData("e0 0c 01 d1 00000006 00000002 43 41", "AmqpMap[][AmqpMap{UInt32 0: Boolean True}]")]
    [InlineData("e0 09 02 e0 03 01 54 05 02 02 41", "NestedArray(Items = Object[][Int32[][Int32 5], Boolean[][Boolean True, Boolean True]])")]
    [InlineData("e0 0b 01 f0 00000005 00000002 40", "NestedArray(Items = Object[][NullArray(Length = Int32 2)])")]
    [InlineData("e0 07 02 00 53 05 52 0102", "Described[][Described(Descriptor = UInt64 5, Value = UInt32 1), Described(Descriptor = UInt64 5, Value = UInt32 2)]")]
    public void An_array_of_each_type_is_read(string bytes, string value) => Assert.Equal(value, Wire.Read(bytes));

    [Fact]
    public void The_examples_of_the_specification_are_read()
    {
        Assert.Equal("\"Hello Glorious Messaging World\"", Wire.Read("a1 1e 'Hello Glorious Messaging World'"));
        Assert.Equal(
            "Described(Descriptor = \"URL\", Value = \"http://example.org/hello-world\")",
            Wire.Read("00 a1 03 'URL' a1 1e 'http://example.org/hello-world'"));
        Assert.Equal(
            "Described(Descriptor = Symbol example:book:list, Value = Object[][\"AMQP for & by Dummies\", String[][\"Rob J. Godfrey\", \"Rafael H. Schloming\"], null])",
            Wire.Read("00 a3 11 'example:book:list' c0 40 03 a1 15 'AMQP for & by Dummies' e0 25 02 a1 0e 'Rob J. Godfrey' 13 'Rafael H. Schloming' 40"));
    }

    [Theory]
    [InlineData("56 02", "neither 0 nor 1")]
    [InlineData("73 0000d800", "no character")]
    [InlineData("73 00110000", "no character")]
    [InlineData("a1 02 c328", "UTF-8")]
    [InlineData("a1 02 c080", "UTF-8")]
    [InlineData("a1 03 eda080", "UTF-8")]
    [InlineData("a3 01 80", "ASCII")]
    [InlineData("", "ends where a value")]
    [InlineData("70 000000", "4 bytes are called for, but 3 are left")]
    [InlineData("a1 05 'abc'", "5 bytes are called for, but 3 are left")]
    [InlineData("b0 ffffffff 00", "4294967295 bytes are called for")]
    [InlineData("46", "0x46")]
    [InlineData("57 00", "0x57")]
    [InlineData("c2 01 00", "0xc2")]
    [InlineData("ff", "0xff")]
    [InlineData("c0 00", "ends where a value")]
    [InlineData("c0 01 01", "1 items in 0 bytes")]
    [InlineData("d0 00000004 00100000", "1048576 items in 0 bytes")]
    [InlineData("c0 03 01 40 40", "1 bytes too many")]
    [InlineData("c1 02 01 40", "no partner")]
    [InlineData("c1 05 04 43 40 43 40", "a key that its map has already")]
    [InlineData("c1 09 04 a0 01 05 40 a0 01 05 40", "a key that its map has already")]
    [InlineData("c1 03 02 40 40", "no scalar")]
    [InlineData("c1 03 02 45 40", "no scalar")]
    [InlineData("c1 05 02 c1 01 00 40", "no scalar")]
    [InlineData("c1 05 02 00 43 40 40", "no scalar")]
    [InlineData("c1 06 02 e0 02 00 40 40", "no scalar")]
    [InlineData("e0 01 00", "ends where a value")]
    [InlineData("e0 04 03 50 0102", "3 elements of 1 bytes or more in 2 bytes")]
    [InlineData("e0 04 01 54 0102", "1 bytes too many")]
    [InlineData("e0 03 01 57 01", "0x57")]
    [InlineData("00 40 40", "descriptor that is null")]
    [InlineData("e0 07 01 00 43 00 43 40", "called for")]
    [InlineData("e0 06 01 00 43 00 43 40", "twice over")]
    public void What_is_no_AMQP_is_refused_and_it_is_said_why(string bytes, string why) =>
        Assert.Contains(why, Wire.Refusal(bytes), StringComparison.OrdinalIgnoreCase);

    [Fact]
    public void A_refusal_tells_the_byte_at_which_it_went_wrong()
    {
        var refusal = Assert.Throws<AmqpDecodeException>(() => Wire.Read("c0 05 02 c0 02 01 57"));

        Assert.Equal(6, refusal.Position);
        Assert.EndsWith("(at byte 6)", refusal.Message);
    }

    [Fact]
    public void Names_that_came_before_are_not_made_anew()
    {
        var bytes = Wire.Bytes("a3 10 'x-opt-enqueued-t'");

        Assert.Same(new AmqpReader(bytes).ReadSymbol().Value, new AmqpReader(bytes).ReadSymbol().Value);
    }

    private static void Check(string bytes, string? value)
    {
        if (value is null)
            Wire.Refusal(bytes);
        else
            Assert.Equal(value, Wire.Read(bytes));
    }
}
