using System.Globalization;
using System.Text;
using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Decimal numbers of other clients, for which AMQP has three sizes.</summary>
public sealed class DecimalTests
{
    // 10 to the power of 34, less one.
    private const string Longest = "9999999999999999999999999999999999";

    [Theory]
    [InlineData(0x32800001u, "1")]
    [InlineData(0xb180007bu, "-1.23")]
    [InlineData(0x33000005u, "50")]
    [InlineData(0x6cb8967fu, "9999999")]
    [InlineData(0x6cffffffu, "0")]
    [InlineData(0x78000000u, "Infinity")]
    [InlineData(0xf8000000u, "-Infinity")]
    [InlineData(0x7c000000u, "NaN")]
    [InlineData(0x5f000001u, "1E+89")]
    public void Of_32_bits(uint bits, string expected) => Assert.Equal(expected, Text(new Decimal32(bits)));

    [Theory]
    [InlineData(0x31c0000000000001ul, "1")]
    [InlineData(0xb18000000000007bul, "-1.23")]
    [InlineData(0x6c7386f26fc0fffful, "9999999999999999")]
    public void Of_64_bits(ulong bits, string expected) => Assert.Equal(expected, Text(new Decimal64(bits)));

    [Theory]
    [InlineData(0, "1", "1")]
    [InlineData(-2, "123", "1.23")]
    [InlineData(-28, "79228162514264337593543950335", "7.9228162514264337593543950335")]
    [InlineData(3, "5", "5000")]
    [InlineData(-30, "500", "0.0000000000000000000000000005")]
    [InlineData(-6, "1000000000000000000000000000000000", "1000000000000000000000000000.0")]
    [InlineData(0, Longest, Longest + "E+0")]
    [InlineData(-29, "1", "1E-29")]
    [InlineData(29, "1", "1E+29")]
    [InlineData(6000, "0", "0")]
    public void Of_128_bits(int exponent, string whole, string expected) =>
        Assert.Equal(expected, Text(new Decimal128(((UInt128)(uint)(6176 + exponent) << 113) | UInt128.Parse(whole, CultureInfo.InvariantCulture))));

    [Theory]
    [InlineData("1234.5678")]
    [InlineData("-0.0000000000000000000000000001")]
    [InlineData("79228162514264337593543950335")]
    public void As_Microsoft_s_client_writes_them(string number)
    {
        var bits = decimal.GetBits(decimal.Parse(number, CultureInfo.InvariantCulture));
        var exponent = 6176 - ((bits[3] >> 16) & 0xff);
        var written = new UInt128(((ulong)(byte)(bits[3] >> 24) << 56) | ((ulong)(exponent >> 9) << 56) | ((ulong)(exponent & 0x7f) << 49) | (uint)bits[2], ((ulong)(uint)bits[1] << 32) | (uint)bits[0]);

        Assert.Equal(number, Text(new Decimal128(written)));
    }

    [Fact]
    public void A_handler_has_them_as_numbers_and_letters_as_texts_and_can_publish_them()
    {
        var read = PropertyValues.Read(new ApplicationProperties { ["price"] = new Decimal32(0x3180007b), ["far"] = new Decimal32(0x5f000001), ["letter"] = new Rune('x') });
        Assert.Equal([1.23m, "1E+89", "x"], read.Values);

        var sent = Envelope.Of(new Message { Id = "b", Properties = read }, DateTimeOffset.UnixEpoch).ApplicationProperties!;

        Assert.Equal(["1.23", "1E+89", "x"], sent.Values);
    }

    [Fact]
    public void In_a_body_they_are_numbers_of_JSON() =>
        Assert.Equal("[1.23,\"NaN\"]", Encoding.UTF8.GetString(BodyBytes.Of(new ValueBody(new List<object?> { new Decimal64(0x318000000000007b), new Decimal32(0x7c000000) })).Span));

    private static string Text(object number) => Convert.ToString(PropertyValues.Read(new ApplicationProperties { ["n"] = number })["n"], CultureInfo.InvariantCulture)!;
}
