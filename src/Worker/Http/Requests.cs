using System.Globalization;
using System.Net;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Messages;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Http;

/// <summary>Makes the request that a message becomes.</summary>
internal sealed class Requests(string queue, HttpOptions options, IWebProxy proxy, TimeProvider time)
{
    // .NET sends an unannounced body whole before it looks for an answer. So much an endpoint's system takes, by the defaults of Linux, before the endpoint reads any of it.
    private const int LargeBody = 64 * 1024;
    private const string Unknown = "application/octet-stream";

    private static readonly string s_userAgent = $"Holdfast/{Product.Version}";

    private readonly Uri _url = EndpointUrl.Of(options);
    private readonly Version _version = options.Http2 ? HttpVersion.Version20 : HttpVersion.Version11;
    private readonly Signature? _signature = options.SigningKey is { } keys ? Signature.Parse(keys) : null;
    private readonly string? _proxyAuthorization = ProxyAuthorization.For(EndpointUrl.Of(options), proxy);
    private readonly string _queue = HeaderText.Encode(queue);
    private readonly string _source = string.Join('/', queue.Split('/').Select(Uri.EscapeDataString));

    /// <param name="message">What it is made of.</param>
    /// <param name="mayAnnounce">Whether a large body may be announced first, and sent only once the endpoint wants it.</param>
    public HttpRequestMessage For(HeldMessage message, bool mayAnnounce = true)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, _url)
        {
            Version = _version,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ReadOnlyMemoryContent(message.Body),
        };
        request.Content.Headers.TryAddWithoutValidation("Content-Type", HeaderText.EncodeUnprintable(message.Message.ContentType is { Length: > 0 } said ? said : Unknown));
        AddEncoding(request, message.Message.ContentEncoding);
        if (mayAnnounce && message.Body.Length > LargeBody)
            request.Headers.ExpectContinue = true;
        Add(request, "User-Agent", s_userAgent);
        Add(request, "Authorization", options.Authorization);
        Add(request, "Proxy-Authorization", _proxyAuthorization);
        CloudEvent.Write(message, _source, request.Headers);
        AddDelivery(request, message);
        AddTrace(request, message);
        Sign(request, message);
        return request;
    }

    private static void Add(HttpRequestMessage request, string name, string? value)
    {
        if (value is not null)
            request.Headers.TryAddWithoutValidation(name, value);
    }

    // In Content-Encoding nothing that HTTP does not know: a framework would refuse the body for it.
    private static void AddEncoding(HttpRequestMessage request, string? encoding)
    {
        var (codings, other) = ContentCodings.Of(encoding);
        if (codings is not null)
            request.Content!.Headers.TryAddWithoutValidation("Content-Encoding", codings);
        if (other is not null)
            Add(request, "Holdfast-Content-Encoding", HeaderText.Encode(other));
    }

    private void AddDelivery(HttpRequestMessage request, HeldMessage held)
    {
        var message = held.Message;
        Add(request, "Holdfast-Queue", _queue);
        Add(request, "Holdfast-Attempt", Number(held.Attempt));
        Add(request, "Holdfast-Delivery-Count", Number(held.DeliveryCount));
        Add(request, "Holdfast-Fencing-Token", held.FencingToken.ToString(CultureInfo.InvariantCulture));
        Add(request, "Holdfast-Priority", Number(message.Priority));
        if (held.LeaseRemaining is var remaining && remaining < TimeSpan.MaxValue)
        {
            Add(request, "Holdfast-Lease-Remaining", Seconds((long)remaining.TotalMilliseconds));
            Add(request, "Holdfast-Lease-Deadline", TimeText.Of(time.GetUtcNow() + remaining));
        }

        if (message.SessionId is { } session)
            Add(request, "Holdfast-Session", HeaderText.Encode(session));
        if (message.CorrelationId is { } correlation)
            Add(request, "Holdfast-Correlation-Id", HeaderText.Encode(correlation));
        if (message.Subject is { } subject)
            Add(request, "Holdfast-Subject", HeaderText.Encode(subject));
        if (message.ReplyTo is { } replyTo)
            Add(request, "Holdfast-Reply-To", HeaderText.Encode(replyTo));
        if (message.Properties.Count > 0)
            Add(request, "Holdfast-Properties", PropertyJson.Of(message.Properties));
    }

    private static void AddTrace(HttpRequestMessage request, HeldMessage message)
    {
        Add(request, "traceparent", TraceParent.Of(message.Trace));
        Add(request, "tracestate", message.Trace.TraceState);
    }

    private void Sign(HttpRequestMessage request, HeldMessage message)
    {
        if (_signature is null)
            return;

        var (id, timestamp) = (HeaderText.EncodeWithDots(message.Id), time.GetUtcNow().ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture));
        Add(request, Signature.Id, id);
        Add(request, Signature.Timestamp, timestamp);
        Add(request, Signature.Name, _signature.Of(id, timestamp, message.Body.Span));
    }

    // Numbers that are formatted by their digits' places take several times as long.
    private static string Seconds(long milliseconds) => string.Create(CultureInfo.InvariantCulture, $"{milliseconds / 1000}.{milliseconds % 1000:D3}");

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
