using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class TypedReadTests
{
    private delegate object? Read(ref AmqpReader reader);

    private static readonly (string Type, Read Read, string[] Encodings)[] s_types =
    [
        ("boolean", static (ref reader) => reader.ReadBoolean(), ["41", "42", "5601"]),
        ("ubyte", static (ref reader) => reader.ReadUByte(), ["5007"]),
        ("ushort", static (ref reader) => reader.ReadUShort(), ["600007"]),
        ("uint", static (ref reader) => reader.ReadUInt(), ["43", "5207", "7000000007"]),
        ("ulong", static (ref reader) => reader.ReadULong(), ["44", "5307", "800000000000000007"]),
        ("timestamp", static (ref reader) => reader.ReadTimestamp(), ["830000000000000007"]),
        ("binary", static (ref reader) => reader.ReadBinary().ToArray(), ["a00107", "b00000000107"]),
        ("string", static (ref reader) => reader.ReadString(), ["a10141", "b10000000141"]),
        ("symbol", static (ref reader) => reader.ReadSymbol(), ["a30141", "b30000000141"]),
        ("list", static (ref reader) => reader.ReadList(), ["45", "c00100", "d00000000400000000"]),
        ("map", static (ref reader) => reader.ReadMap(), ["c10100", "d10000000400000000"]),
    ];

    // Of types that no field has: they come within values that may be any.
    private static readonly string[] s_untyped =
    [
        "5107", "610007", "5407", "7100000007", "5507", "810000000000000007", "7240e00000", "82401c000000000000",
        "7400000007", "840000000000000007", "9400000000000000000000000000000007", "7300000041", "9800112233445566778899aabbccddeeff",
    ];

    public static TheoryData<string> Types => [.. s_types.Select(type => type.Type)];

    [Theory]
    [MemberData(nameof(Types))]
    public void A_typed_read_takes_every_encoding_of_its_type_as_the_untyped_does(string type)
    {
        foreach (var encoding in Named(type).Encodings)
            Assert.Equal(Wire.Read(encoding), Shown.Of(Run(Named(type).Read, encoding)));
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_typed_read_refuses_every_other_type(string type)
    {
        foreach (var other in s_types.Where(other => other.Type != type).SelectMany(other => other.Encodings).Concat(s_untyped).Append("40").Append("004340"))
            Assert.Throws<AmqpDecodeException>(() => Run(Named(type).Read, other));
    }

    [Theory]
    [MemberData(nameof(Types))]
    public void A_value_that_is_cut_short_anywhere_is_refused(string type) => RefusesEachBeginning(Named(type).Read, Named(type).Encodings);

    [Fact]
    public void So_is_one_that_may_be_of_any_type() => RefusesEachBeginning(static (ref reader) => reader.ReadValue(), s_untyped);

    [Fact]
    public void One_symbol_alone_counts_as_an_array_of_one()
    {
        Assert.Equal<Symbol>(["a"], new AmqpReader(Wire.Bytes("a3 01 'a'")).ReadSymbols());
        Assert.Equal<Symbol>(["a", "b"], new AmqpReader(Wire.Bytes("e0 06 02 a3 01 'a' 01 'b'")).ReadSymbols());
        Assert.Throws<AmqpDecodeException>(() => new AmqpReader(Wire.Bytes("e0 03 01 54 05")).ReadSymbols());
    }

    [Fact]
    public void Keys_that_are_names_may_be_strings_or_symbols()
    {
        var bytes = Wire.Bytes("c1 09 04 a1 01 'a' 41 a3 01 'b' 42");

        Assert.Equal<Symbol>(["a", "b"], new AmqpReader(bytes).ReadFieldMap().Keys);
        Assert.Equal(["a", "b"], new AmqpReader(bytes).ReadApplicationProperties().Keys);
        Assert.Throws<AmqpDecodeException>(() => new AmqpReader(Wire.Bytes("c1 03 02 43 41")).ReadFieldMap());
        Assert.Throws<AmqpDecodeException>(() => new AmqpReader(Wire.Bytes("c1 09 04 a1 01 'a' 41 a3 01 'a' 42")).ReadFieldMap());
    }

    [Fact]
    public void A_name_that_is_long_or_not_ASCII_is_read_all_the_same()
    {
        var name = string.Concat(Enumerable.Repeat("é", 100));
        using var writer = new AmqpWriter();
        writer.WriteMap(new ApplicationProperties { [name] = 1, ["é"] = 2, [new string('a', 49)] = 3 });

        Assert.Equal([name, "é", new string('a', 49)], new AmqpReader(writer.Written).ReadApplicationProperties().Keys);
    }

    [Theory]
    [InlineData("40 41")]
    [InlineData("00 53 24 45 41")]
    [InlineData("c0 04 03 43 40 41 41")]
    [InlineData("e0 04 02 56 0100 41")]
    [InlineData("f0 0000000d 00000001 81 fffffffffffffffe 41")]
    [InlineData("94 00112233445566778899aabbccddeeff 41")]
    [InlineData("b1 00000001 'x' 41")]
    public void A_value_that_is_skipped_leaves_the_next_one_to_be_read(string bytes)
    {
        var reader = new AmqpReader(Wire.Bytes(bytes));

        reader.Skip();

        Assert.True(reader.ReadBoolean());
        Assert.True(reader.IsAtEnd);
    }

    private static (string Type, Read Read, string[] Encodings) Named(string type) => s_types.Single(one => one.Type == type);

    private static void RefusesEachBeginning(Read read, string[] encodings)
    {
        foreach (var encoding in encodings)
        {
            for (var length = 0; length < encoding.Length; length += 2)
                Assert.Throws<AmqpDecodeException>(() => Run(read, encoding[..length]));
        }
    }

    private static object? Run(Read read, string bytes)
    {
        var reader = new AmqpReader(Wire.Bytes(bytes));
        return read(ref reader);
    }
}
