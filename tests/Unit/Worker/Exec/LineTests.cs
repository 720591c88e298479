using System.Text;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class LineTests
{
    private static readonly TimeSpan s_delay = TimeSpan.FromSeconds(7);

    [Fact]
    public void A_message_is_one_line_whatever_is_in_it()
    {
        var line = Encoding.UTF8.GetString(LineRequest.Write(new HeldMessage("orders", new Message
        {
            Id = "a\nb",
            ContentEncoding = "gzip",
            Subject = "paid",
            ReplyTo = "answers",
            Body = Encoding.UTF8.GetBytes("one\r\ntwo\u2028thrée"),
            Properties = new Dictionary<string, object?> { ["k\n"] = "v\n" },
        })).Span);

        Assert.Equal(line.Length - 1, line.IndexOf('\n'));
        Assert.All(line, c => Assert.True(char.IsAscii(c)));
        var told = JsonDocument.Parse(line).RootElement;
        Assert.Equal("a\nb", told.GetProperty("id").GetString());
        Assert.Equal("one\r\ntwo\u2028thrée", told.GetProperty("body").GetString());
        Assert.Equal("gzip", told.GetProperty("contentEncoding").GetString());
        Assert.Equal(("paid", "answers"), (told.GetProperty("subject").GetString(), told.GetProperty("replyTo").GetString()));
        Assert.Equal("v\n", told.GetProperty("properties").GetProperty("k\n").GetString());
        Assert.Equal(1, told.GetProperty("attempt").GetInt32());
        Assert.Equal(1, told.GetProperty("fencingToken").GetInt64());
    }

    [Fact]
    public void A_line_tells_what_is_known_of_its_message_and_nothing_that_is_not()
    {
        const string Parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        var all = Tell(new Message
        {
            Id = "1",
            Priority = 4,
            ContentType = "text/plain",
            CorrelationId = "c",
            SessionId = "s",
            Properties = new Dictionary<string, object?> { ["traceparent"] = Parent, ["tracestate"] = "shop=1" },
        });

        Assert.Equal(("orders", 4), (all.GetProperty("queue").GetString(), all.GetProperty("priority").GetInt32()));
        Assert.Equal(("text/plain", "c", "s"), (all.GetProperty("contentType").GetString(), all.GetProperty("correlationId").GetString(), all.GetProperty("sessionId").GetString()));
        Assert.Equal((Parent, "shop=1"), (all.GetProperty("traceparent").GetString(), all.GetProperty("tracestate").GetString()));
        Assert.Equal(
            ["id", "queue", "attempt", "deliveryCount", "fencingToken", "enqueuedAt", "leaseRemaining", "priority", "properties", "body"],
            Tell(new Message { Id = "1" }).EnumerateObject().Select(known => known.Name));

        static JsonElement Tell(Message message) => JsonDocument.Parse(LineRequest.Write(new HeldMessage("orders", message))).RootElement;
    }

    [Fact]
    public void A_message_whose_properties_are_too_deep_for_JSON_is_unreadable()
    {
        var deep = Enumerable.Range(0, 65).Aggregate((object?)null, (inner, _) => new List<object?> { inner });

        Assert.Throws<UnreadableMessageException>(() => LineRequest.Write(new HeldMessage("orders", new Message { Id = "1", Properties = new Dictionary<string, object?> { ["deep"] = deep } })));
    }

    [Fact]
    public void A_body_that_is_no_text_is_told_in_base64()
    {
        byte[] body = [0xff, 0x00, 0xfe];

        var told = JsonDocument.Parse(LineRequest.Write(new HeldMessage("orders", new Message { Id = "1", Body = body }))).RootElement;

        Assert.Equal(body, told.GetProperty("bodyBase64").GetBytesFromBase64());
        Assert.False(told.TryGetProperty("body", out _));
    }

    [Fact]
    public void A_table_or_a_list_among_the_properties_is_json_within_json_and_all_else_is_text()
    {
        var told = JsonDocument.Parse(LineRequest.Write(new HeldMessage("orders", new Message
        {
            Id = "1",
            Properties = new Dictionary<string, object?>
            {
                ["x-death"] = new List<object?> { new Dictionary<string, object?> { ["queue"] = "a\nb", ["count"] = 2L } },
                ["number"] = 3,
            },
        }))).RootElement.GetProperty("properties");

        Assert.Equal("""[{"queue":"a\nb","count":2}]""", told.GetProperty("x-death").GetRawText());
        Assert.Equal("3", told.GetProperty("number").GetString());
    }

    [Fact]
    public void Each_result_ends_the_message_its_own_way()
    {
        Assert.Equal(Settlement.Complete, Settle("""{"id":"1","result":"complete","more":1}"""));
        Assert.Equal(Settlement.Delay(s_delay), Settle("""{"id":"1","result":"delay"}"""));
        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(1.5)), Settle("""{"id":"1","result":"delay","seconds":1.5}"""));
        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(1)), Settle("""{"id":"1","result":"delay","seconds":1e-9}"""));
        Assert.Equal(Settlement.DeadLetter("too_old", "of 1999"), Settle("""{"id":"1","result":"dead_letter","reason":"too_old","description":"of 1999"}"""));
        Assert.Equal("command_refused", Settle("""{"id":"1","result":"dead_letter"}""").Reason);
        Assert.Equal(Settle("""{"id":"1","result":"dead_letter"}"""), Settle("""{"id":"1","result":"dead_letter","reason":" ","description":""}"""));
        Assert.Equal("The command asks for another try", Assert.Throws<CommandFailedException>(() => Settle("""{"id":"1","result":"retry","description":""}""")).Message);
        Assert.Equal("The command asks for another try: shop closed", Assert.Throws<CommandFailedException>(() => Settle("""{"id":"1","result":"retry","description":"shop\nclosed"}""")).Message);
    }

    [Theory]
    [InlineData("null")]
    [InlineData("""{"id":"2","result":"complete"}""")]
    [InlineData("""{"result":"complete"}""")]
    [InlineData("""{"id":"1"}""")]
    [InlineData("""{"id":"1","result":"completed"}""")]
    public void What_is_no_answer_to_the_message_is_told_as_that(string line) =>
        Assert.Equal("Its answer names another id, or a result that there is not", Assert.Throws<FormatException>(() => Settle(line)).Message);

    [Theory]
    [InlineData("")]
    [InlineData("hello")]
    [InlineData("""{"id":1x}""")]
    [InlineData("""{"id":"1",""")]
    public void What_is_no_json_is_told_as_that(string line) =>
        Assert.Equal("Its answer is not a line of JSON", Assert.Throws<FormatException>(() => Settle(line)).Message);

    [Fact]
    public void What_is_no_UTF8_is_told_as_that_and_not_as_a_text_that_is_none() =>
        Assert.Equal(
            "Its answer is not in UTF-8",
            Assert.Throws<FormatException>(() => LineAnswer.Read(Encoding.Latin1.GetBytes("""{"id":"1","result":"retry","description":"geschlossen für heute"}"""), "1")).Message);

    [Theory]
    [InlineData("[]", "$")]
    [InlineData("""{"id":1,"result":"complete"}""", "$.id")]
    [InlineData("""{"id":"1","result":{}}""", "$.result")]
    [InlineData("""{"id":"1","result":"delay","seconds":"soon"}""", "$.seconds")]
    public void What_is_of_the_wrong_kind_is_told_with_where_that_is(string line, string where) =>
        Assert.Equal(
            $"Its answer is of the wrong kind at {where}: it must be an object, where seconds is a number, and id, result, reason and description are text",
            Assert.Throws<FormatException>(() => Settle(line)).Message);

    [Theory]
    [InlineData("-5", "-5")]
    [InlineData("0", "0")]
    [InlineData("2073601", "2073601")]
    [InlineData("1e300", "1E+300")]
    public void A_delay_that_can_not_be_is_told_with_what_can_be(string seconds, string told) =>
        Assert.Equal(
            $"Its answer asks for a delay of {told} seconds, which must be more than 0 and at most 2073600 (24 days)",
            Assert.Throws<FormatException>(() => Settle($$"""{"id":"1","result":"delay","seconds":{{seconds}}}""")).Message);

    [Theory]
    [InlineData("d")]
    [InlineData("\\u001b")]
    public void Why_a_message_is_put_aside_is_bounded(string letter)
    {
        var text = string.Concat(Enumerable.Repeat(letter, 50_000));
        var settlement = Settle($$"""{"id":"1","result":"dead_letter","reason":"{{text}}","description":"{{text}}"}""");

        Assert.InRange(settlement.Reason!.Length, 100, 103);
        Assert.InRange(settlement.Description!.Length, 1_000, 1_003);
    }

    [Fact]
    public void Why_a_message_is_put_aside_is_not_cut_within_a_character() =>
        Assert.Equal(new string('d', 999) + "...", Settle($$"""{"id":"1","result":"dead_letter","description":"{{new string('d', 999)}}😀 and more"}""").Description);

    private static Settlement Settle(string line) => LineAnswer.Read(Encoding.UTF8.GetBytes(line), "1").Settle(s_delay);
}
