using FsCheck;
using FsCheck.Fluent;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class HeaderTextTests
{
    [Theory]
    [InlineData("order-17", "order-17")]
    [InlineData("two words", "two%20words")]
    [InlineData("100 % \"sure\"", "100%20%25%20%22sure%22")]
    [InlineData("Zürich €😀", "Z%C3%BCrich%20%E2%82%AC%F0%9F%98%80")]
    [InlineData("a\r\nSet-Cookie: b", "a%0D%0ASet-Cookie:%20b")]
    [InlineData("", "")]
    public void What_is_no_printable_ASCII_is_percent_encoded(string text, string encoded) => Assert.Equal(encoded, HeaderText.Encode(text));

    [Fact]
    public void Whatever_is_encoded_is_one_line_of_ASCII_and_comes_back() =>
        Prop.ForAll(
            ArbMap.Default.ArbFor<string>().Filter(text => text is not null && !text.Any(char.IsSurrogate)),
            text => HeaderText.Encode(text).All(c => c is > ' ' and < '\x7f') && Uri.UnescapeDataString(HeaderText.Encode(text)) == text)
            .Check(Config.QuickThrowOnFailure);

    [Fact]
    public void Half_a_pair_of_surrogates_is_replaced() => Assert.Equal("a%EF%BF%BDb", HeaderText.Encode("a\ud83db"));

    [Fact]
    public void A_dot_is_encoded_where_it_would_end_what_is_signed() => Assert.Equal("a%2Eb%20c", HeaderText.EncodeWithDots("a.b c"));

    [Fact]
    public void A_type_of_content_stays_as_it_is_unless_it_breaks_out_of_its_header()
    {
        Assert.Equal("text/plain; charset=\"utf-8\"", HeaderText.EncodeUnprintable("text/plain; charset=\"utf-8\""));
        Assert.Equal("text/plain%0D%0AX: y", HeaderText.EncodeUnprintable("text/plain\r\nX: y"));
    }
}
