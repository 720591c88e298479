using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed partial class JsonBodyTests
{
    private const int TenMegabytes = 10 << 20;

    [Fact]
    public void A_body_is_read_whether_it_begins_with_a_byte_order_mark_or_not()
    {
        Assert.Equal(7, Read("""{"number":7}""").Number);
        Assert.Equal(7, Read("\uFEFF{\"number\":7}").Number);
    }

    [Fact]
    public void A_large_body_is_read() =>
        Assert.Equal(TenMegabytes, Read($$"""{"number":7,"text":"{{new string('x', TenMegabytes)}}"}""").Text!.Length);

    [Theory]
    [InlineData("", "empty")]
    [InlineData("\uFEFF", "empty")]
    [InlineData("null", "null, not a Order")]
    [InlineData("nonsense", "'nonsense' is an invalid")]
    [InlineData("{\"number\":7", "")]
    [InlineData("{\"number\":7} and more", "'a' is invalid")]
    [InlineData("[7]", "could not be converted")]
    [InlineData("\"7\"", "could not be converted")]
    [InlineData("{\"number\":\"seven\"}", "$.number")]
    [InlineData("{\"number\":99999999999}", "$.number")]
    [InlineData("{}", "number")]
    public void What_is_no_such_thing_is_unreadable_and_says_why(string body, string why) =>
        Assert.Contains(why, Assert.Throws<UnreadableMessageException>(() => Read(body)).Message);

    [Fact]
    public void What_is_not_even_text_is_unreadable()
    {
        Assert.Throws<UnreadableMessageException>(() => Read(Encoding.Unicode.GetBytes("{}")));
        Assert.Throws<UnreadableMessageException>(() => Read([.. "{\"text\":\""u8, 0xFF, 0xFE, .. "\",\"number\":7}"u8]));
        Assert.Throws<UnreadableMessageException>(() => Read(new byte[TenMegabytes]));
        Assert.Throws<UnreadableMessageException>(() => Read(Encoding.UTF8.GetBytes(new string('[', TenMegabytes))));
    }

    [Fact]
    public void What_names_no_type_that_there_is_is_unreadable() =>
        Assert.Contains(nameof(NotSupportedException), Refused("""{"number":7}""", Json.Default.Payment).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("""{"first":{"number":7}}""")]
    [InlineData("""{"first":{"$type":"split","parts":[{}]}}""")]
    [InlineData("""{"others":[{"$type":"card"},{"number":7}]}""")]
    [InlineData("""{"byName":{"mine":{}}}""")]
    [InlineData("""{"within":{"first":{}}}""")]
    public void Nor_is_what_holds_such_a_thing(string body) =>
        Assert.Contains("must specify a type discriminator", Refused(body, Json.Default.Payments).Message, StringComparison.Ordinal);

    [Fact]
    public void What_no_body_could_fill_is_not_the_messages_fault_where_it_lies_beside_what_names_its_type() =>
        Assert.Throws<NotSupportedException>(() => JsonBody.Read("""{"by":{}}"""u8, Json.Default.Payments));

    [Theory]
    [InlineData("""{"from":9,"to":3}""", "ArgumentException: It ends before it begins.")]
    [InlineData("""{"from":3,"to":9,"step":0}""", "ArgumentOutOfRangeException: ")]
    public void What_the_type_itself_refuses_is_unreadable_and_says_why(string body, string why)
    {
        var refused = Refused(body, Json.Default.Span);

        Assert.StartsWith(why, refused.Message, StringComparison.Ordinal);
        Assert.IsAssignableFrom<ArgumentException>(refused.InnerException);
    }

    [Fact]
    public void A_type_that_no_body_could_fill_is_not_the_messages_fault() =>
        Assert.Throws<NotSupportedException>(() => JsonBody.Read("{}"u8, Json.Default.Vehicle));

    [Fact]
    public void A_handler_without_a_type_reads_each_kind_of_message_by_the_same_rules()
    {
        HeldMessage Held(string body) => new("orders", new Message { Id = "a", Body = Encoding.UTF8.GetBytes(body) });

        Assert.Equal(7, Held("\uFEFF{\"number\":7}").Read(Json.Default.Order).Number);
        Assert.Equal(3, Held("""{"from":3,"to":9,"step":1}""").Read(Json.Default.Span).From);
        Assert.Throws<UnreadableMessageException>(() => Held("""{"from":9,"to":3}""").Read(Json.Default.Span));
    }

    private static UnreadableMessageException Refused<T>(string body, JsonTypeInfo<T> type) =>
        Assert.Throws<UnreadableMessageException>(() => JsonBody.Read(Encoding.UTF8.GetBytes(body), type));

    private static Order Read(string body) => Read(Encoding.UTF8.GetBytes(body));

    private static Order Read(byte[] body) => JsonBody.Read(body, Json.Default.Order);

    internal sealed record Order
    {
        public required int Number { get; init; }

        public string? Text { get; init; }
    }

    [JsonDerivedType(typeof(Card), "card")]
    [JsonDerivedType(typeof(Split), "split")]
    internal abstract record Payment;

    internal sealed record Card : Payment;

    internal sealed record Split(Payment[] Parts) : Payment;

    internal sealed record Payments(Payment? First, List<Payment>? Others, Dictionary<string, Payment>? ByName, Payments? Within, Vehicle? By);

    internal abstract record Vehicle;

    internal sealed class Span
    {
        private readonly int _step = 1;

        public Span(int from, int to)
        {
            if (to < from)
                throw new ArgumentException("It ends before it begins.");
            (From, To) = (from, to);
        }

        public int From { get; }

        public int To { get; }

        public int Step
        {
            get => _step;
            init
            {
                ArgumentOutOfRangeException.ThrowIfZero(value);
                _step = value;
            }
        }
    }

    [JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
    [JsonSerializable(typeof(Order))]
    [JsonSerializable(typeof(Payment))]
    [JsonSerializable(typeof(Payments))]
    [JsonSerializable(typeof(Span))]
    [JsonSerializable(typeof(Vehicle))]
    private sealed partial class Json : JsonSerializerContext;
}
