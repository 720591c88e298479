using System.Text;
using System.Text.Json.Serialization;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed partial class JsonBodyTests
{
    private const int TenMegabytes = 10 << 20;

    [Fact]
    public void A_body_is_read_whether_it_begins_with_a_byte_order_mark_or_not()
    {
        Assert.Equal(7, Read("""{"Number":7}""").Number);
        Assert.Equal(7, Read("\uFEFF{\"Number\":7}").Number);
    }

    [Fact]
    public void A_large_body_is_read() =>
        Assert.Equal(TenMegabytes, Read($$"""{"Number":7,"Text":"{{new string('x', TenMegabytes)}}"}""").Text!.Length);

    [Theory]
    [InlineData("", "empty")]
    [InlineData("\uFEFF", "empty")]
    [InlineData("null", "null, not a Order")]
    [InlineData("nonsense", "'nonsense' is an invalid")]
    [InlineData("{\"Number\":7", "")]
    [InlineData("{\"Number\":7} and more", "'a' is invalid")]
    [InlineData("[7]", "could not be converted")]
    [InlineData("\"7\"", "could not be converted")]
    [InlineData("{\"Number\":\"seven\"}", "$.Number")]
    [InlineData("{\"Number\":99999999999}", "$.Number")]
    [InlineData("{}", "Number")]
    public void What_is_no_such_thing_is_unreadable_and_says_why(string body, string why) =>
        Assert.Contains(why, Assert.Throws<UnreadableMessageException>(() => Read(body)).Message);

    [Fact]
    public void What_is_not_even_text_is_unreadable()
    {
        Assert.Throws<UnreadableMessageException>(() => Read(Encoding.Unicode.GetBytes("{}")));
        Assert.Throws<UnreadableMessageException>(() => Read([.. "{\"Text\":\""u8, 0xFF, 0xFE, .. "\",\"Number\":7}"u8]));
        Assert.Throws<UnreadableMessageException>(() => Read(new byte[TenMegabytes]));
        Assert.Throws<UnreadableMessageException>(() => Read(Encoding.UTF8.GetBytes(new string('[', TenMegabytes))));
    }

    private static Order Read(string body) => Read(Encoding.UTF8.GetBytes(body));

    private static Order Read(byte[] body) => JsonBody.Read(body, Json.Default.Order);

    internal sealed record Order
    {
        public required int Number { get; init; }

        public string? Text { get; init; }
    }

    [JsonSerializable(typeof(Order))]
    private sealed partial class Json : JsonSerializerContext;
}
