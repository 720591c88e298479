using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class RequestsTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public async Task A_message_is_posted_as_it_is()
    {
        var request = Make(new Message { Id = "a", Body = "not JSON, and that is fine"u8.ToArray(), ContentType = "text/plain; charset=utf-8" });

        Assert.Equal((HttpMethod.Post, new Uri("http://shop/orders?v=1")), (request.Method, request.RequestUri));
        Assert.Equal("not JSON, and that is fine"u8.ToArray(), await request.Content!.ReadAsByteArrayAsync());
        Assert.Equal("text/plain; charset=utf-8", Content(request, "Content-Type"));
        Assert.Equal((HttpVersionPolicy.RequestVersionExact, new Version(1, 1)), (request.VersionPolicy, request.Version));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public void A_body_whose_kind_nobody_said_is_bytes(string? kind) =>
        Assert.Equal("application/octet-stream", Content(Make(new Message { Id = "a", ContentType = kind }), "Content-Type"));

    [Theory]
    [InlineData("gzip", "gzip", null)]
    [InlineData("GZip", "gzip", null)]
    [InlineData("br,zstd ,\tdeflate, compress", "br, zstd, deflate, compress", null)]
    [InlineData("gzip, UTF-8", "gzip", "utf-8")]
    [InlineData("gzip:UTF-8", "gzip", "utf-8")]
    [InlineData("utf-8", null, "utf-8")]
    [InlineData("binary", null, "binary")]
    [InlineData("gzip, aes 256", null, "gzip,%20aes%20256")]
    [InlineData("gzip\r\nX-Injected: 1", null, "gzip%0D%0AX-Injected:%201")]
    [InlineData(" , ", null, "%20,%20")]
    [InlineData("", null, null)]
    [InlineData(null, null, null)]
    public async Task How_the_body_is_packed_is_told_in_words_of_HTTP_s_and_what_HTTP_does_not_know_beside_them(string? encoding, string? codings, string? other)
    {
        byte[] packed = [31, 139, 8];
        var request = Make(new Message { Id = "a", Body = packed, ContentType = "application/json", ContentEncoding = encoding });

        Assert.Equal(codings, request.Content!.Headers.NonValidated.TryGetValues("Content-Encoding", out var told) ? told.ToString() : null);
        Assert.Equal(other, request.Headers.NonValidated.TryGetValues("Holdfast-Content-Encoding", out var beside) ? beside.ToString() : null);
        Assert.Equal("application/json", Content(request, "Content-Type"));
        Assert.Equal(packed, await request.Content.ReadAsByteArrayAsync());
    }

    [Fact]
    public void It_is_a_CloudEvent_in_binary_mode()
    {
        var request = Make(new Message { Id = "order 17" }, queue: "my topic/Subscriptions/mail");

        Assert.Equal("1.0", Header(request, "ce-specversion"));
        Assert.Equal("order%2017", Header(request, "ce-id"));
        Assert.Equal("my%2520topic/Subscriptions/mail", Header(request, "ce-source"));
        Assert.Equal("holdfast.message", Header(request, "ce-type"));
        Assert.Equal("2026-01-02T03:04:05.678Z", Header(request, "ce-time"));
    }

    [Fact]
    public void What_its_sender_made_a_CloudEvent_stays_the_same_event()
    {
        var request = Make(new Message
        {
            Id = "a",
            Properties = new Dictionary<string, object?>
            {
                ["cloudEvents:id"] = "e-1",
                ["cloudEvents:type"] = "shop.order.placed",
                ["cloudEvents_subject"] = "Zürich",
                ["cloudEvents:sampled"] = true,
                ["cloudEvents:sequence"] = 12,
                ["cloudEvents:time"] = new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.FromHours(1)),
                ["cloudEvents:datacontenttype"] = "text/csv",
                ["cloudEvents:Not\r\nAllowed"] = "x",
                ["cloudEvents:"] = "x",
            },
        });

        Assert.Equal(
            ["ce-id: e-1", "ce-sampled: true", "ce-sequence: 12", "ce-source: orders", "ce-specversion: 1.0", "ce-subject: Z%C3%BCrich", "ce-time: 2026-02-03T03:05:06.000Z", "ce-type: shop.order.placed"],
            request.Headers.Where(header => header.Key.StartsWith("ce-", StringComparison.Ordinal)).Select(header => $"{header.Key}: {header.Value.Single()}").Order());
    }

    [Fact]
    public void All_that_is_known_of_the_delivery_is_told()
    {
        var request = Make(new Message { Id = "a", Priority = 7, SessionId = "north pole", CorrelationId = "c-1", Subject = "order paid", ReplyTo = "answers" }, deliveryCount: 3);

        Assert.Equal("orders", Header(request, "Holdfast-Queue"));
        Assert.Equal(("1", "3"), (Header(request, "Holdfast-Attempt"), Header(request, "Holdfast-Delivery-Count")));
        Assert.Equal("3", Header(request, "Holdfast-Fencing-Token"));
        Assert.Equal(("7", "north%20pole", "c-1"), (Header(request, "Holdfast-Priority"), Header(request, "Holdfast-Session"), Header(request, "Holdfast-Correlation-Id")));
        Assert.Equal(("order%20paid", "answers"), (Header(request, "Holdfast-Subject"), Header(request, "Holdfast-Reply-To")));
    }

    [Fact]
    public void What_the_message_does_not_have_is_left_out()
    {
        var request = Make(new Message { Id = "a" });

        Assert.All(
            ["Holdfast-Session", "Holdfast-Correlation-Id", "Holdfast-Subject", "Holdfast-Reply-To", "Holdfast-Properties", "traceparent", "Authorization", "webhook-signature", "Expect"],
            name => Assert.False(request.Headers.NonValidated.Contains(name), name));
        Assert.Equal("application/octet-stream", Content(request, "Content-Type"));
        Assert.Equal(0, request.Content!.Headers.ContentLength);
    }

    [Fact]
    public void Properties_are_a_line_of_JSON_whatever_is_in_them()
    {
        var request = Make(new Message
        {
            Id = "a",
            Properties = new Dictionary<string, object?>
            {
                ["a name with spaces: and a colon"] = "Zürich\r\nX-Injected: 1",
                ["count"] = 3L,
                ["ratio"] = double.NaN,
                ["bytes"] = new byte[] { 1, 2, 3 },
                ["nested"] = new Dictionary<string, object?> { ["list"] = new List<object?> { 1, null, true } },
                ["half"] = "\ud83d",
            },
        });

        var text = Header(request, "Holdfast-Properties");
        Assert.All(text, c => Assert.InRange(c, ' ', '~'));
        var read = JsonDocument.Parse(text).RootElement;
        Assert.Equal("Zürich\r\nX-Injected: 1", read.GetProperty("a name with spaces: and a colon").GetString());
        Assert.Equal((3, "NaN"), (read.GetProperty("count").GetInt32(), read.GetProperty("ratio").GetString()));
        Assert.Equal(new byte[] { 1, 2, 3 }, read.GetProperty("bytes").GetBytesFromBase64());
        Assert.Equal("[1,null,true]", read.GetProperty("nested").GetProperty("list").GetRawText());
        Assert.Equal("\ufffd", read.GetProperty("half").GetString());
    }

    [Fact]
    public void Properties_that_are_too_deep_for_JSON_make_the_message_unreadable()
    {
        var deep = Enumerable.Range(0, 65).Aggregate((object?)null, (inner, _) => new List<object?> { inner });

        var refused = Assert.Throws<UnreadableMessageException>(() => Make(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["deep"] = deep } }));
        Assert.Equal("Its properties hold tables or lists more than 64 deep within one another, which can't be told in JSON.", refused.Message);
    }

    [Fact]
    public void No_text_of_a_message_can_begin_another_header()
    {
        const string Evil = "x\r\nX-Injected: 1\r\n\r\nPOST / HTTP/1.1\0";
        var request = Make(
            new Message { Id = Evil, ContentType = Evil, ContentEncoding = Evil, CorrelationId = Evil, SessionId = Evil, Subject = Evil, ReplyTo = Evil, Properties = new Dictionary<string, object?> { [Evil] = Evil, ["cloudEvents:type"] = Evil, ["traceparent"] = Evil } },
            new HttpOptions { Url = "http://shop", SigningKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
            queue: Evil);

        Assert.All(
            request.Headers.NonValidated.Concat(request.Content!.Headers.NonValidated),
            header => Assert.All($"{header.Key}{header.Value}", c => Assert.InRange(c, ' ', '~')));
    }

    [Fact]
    public void The_trace_of_the_message_goes_on_where_nobody_records()
    {
        const string Parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        Activity.Current = null;
        var request = Make(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["traceparent"] = Parent, ["tracestate"] = "shop=1" } });

        Assert.Equal((Parent, "shop=1"), (Header(request, "traceparent"), Header(request, "tracestate")));
    }

    [Fact]
    public void A_signature_covers_the_very_id_and_time_that_are_sent()
    {
        const string Key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        var request = Make(new Message { Id = "a.1 b", Body = "{}"u8.ToArray() }, new HttpOptions { Url = "http://shop", SigningKey = Key });

        var (id, timestamp) = (Header(request, "webhook-id"), Header(request, "webhook-timestamp"));
        Assert.Equal(("a%2E1%20b", $"{_time.GetUtcNow().ToUnixTimeSeconds()}"), (id, timestamp));
        Assert.Equal(Signature.Parse(Key).Of(id, timestamp, "{}"u8), Header(request, "webhook-signature"));
    }

    [Theory]
    [InlineData(65_536, null)]
    [InlineData(65_537, true)]
    [InlineData(10_000_000, true)]
    public void A_body_that_an_endpoint_may_have_to_read_some_of_is_announced_so_that_it_can_be_refused_unsent(int length, bool? isAnnounced) =>
        Assert.Equal(isAnnounced, Make(new Message { Id = "a", Body = new byte[length] }).Headers.ExpectContinue);

    [Fact]
    public void A_header_of_authorization_is_sent_as_it_is_set() =>
        Assert.Equal("Bearer abc", Header(Make(new Message { Id = "a" }, new HttpOptions { Url = "http://shop", Authorization = "Bearer abc" }), "Authorization"));

    [Fact]
    public void A_proxy_that_wants_a_user_is_told_with_each_request() =>
        Assert.Equal("Basic aGFuczpwdw==", Header(Make(new Message { Id = "a" }, proxy: new WebProxy("http://proxy") { Credentials = new NetworkCredential("hans", "pw") }), "Proxy-Authorization"));

    [Fact]
    public void HTTP_2_is_spoken_where_it_is_asked_for() =>
        Assert.Equal(new Version(2, 0), Make(new Message { Id = "a" }, new HttpOptions { Url = "http://shop", Http2 = true }).Version);

    private HttpRequestMessage Make(Message message, HttpOptions? options = null, string queue = "orders", int deliveryCount = 1, WebProxy? proxy = null) =>
        new Requests(queue, options ?? new HttpOptions { Url = "http://shop/orders?v=1" }, proxy ?? new WebProxy(), _time)
            .For(new HeldMessage(queue, message, deliveryCount, new DateTimeOffset(2026, 1, 2, 3, 4, 5, 678, TimeSpan.Zero)));

    private static string Header(HttpRequestMessage request, string name) => request.Headers.NonValidated[name].ToString();

    private static string Content(HttpRequestMessage request, string name) => request.Content!.Headers.NonValidated[name].ToString();
}
