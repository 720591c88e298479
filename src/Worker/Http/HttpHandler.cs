using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>Posts each message to an endpoint, whose answer says how it ends. On the Process lane; what happens on the wire happens on the pool.</summary>
internal sealed class HttpHandler(string queue, HttpOptions options, TimeSpan longestDelay, TimeProvider time) : IHandler, IDisposable
{
    private const string StatusTag = "http.response.status_code";

    // The status is known by then, and the text is worth no more.
    private static readonly TimeSpan s_forExcerpt = TimeSpan.FromSeconds(1);

    private readonly Requests _requests = new(queue, options, HttpClient.DefaultProxy, time);
    private readonly HttpMessageInvoker _connections = Connections.Open(options);
    private readonly Uri _url = EndpointUrl.Of(options);

    private string Endpoint => _url.GetLeftPart(UriPartial.Authority);

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        using var patience = new CancellationTokenSource(options.Timeout, time);
        using var calledOff = cancel.UnsafeRegister(static patience => ((CancellationTokenSource)patience!).Cancel(), patience);
        using var request = _requests.For(message);
        try
        {
            using var first = await _connections.SendAsync(request, patience.Token);
            using var second = first.StatusCode == HttpStatusCode.ExpectationFailed && request.Headers.ExpectContinue == true ? await SendAtOnceAsync(message, patience.Token) : null;
            var response = second ?? first;
            Activity.Current?.SetTag(StatusTag, (int)response.StatusCode);
            if (response.IsSuccessStatusCode)
                return Settlement.Complete;

            patience.CancelAfter(s_forExcerpt);
            var answer = await ReadAsync(response, patience.Token);
            cancel.ThrowIfCancellationRequested();
            return answer.Settle(longestDelay);
        }
        catch (OperationCanceledException late) when (!cancel.IsCancellationRequested)
        {
            throw new EndpointException(
                patience.IsCancellationRequested
                    ? $"{Endpoint} did not answer within {SettingValue.Show(options.Timeout)} (Worker__Http__Timeout)."
                    : $"{Endpoint} can't be reached{(Proxy.Before(_url) is { } proxy ? $" by the proxy {Proxy.Show(proxy)}" : "")}: {Printable.OneLine(late.GetBaseException().Message)}",
                late);
        }
        catch (HttpRequestException unsent) when (IsTooLong(unsent))
        {
            return Settlement.DeadLetter("http_431", $"{Endpoint} takes no headers as long as this message's: {Printable.OneLine(unsent.Message)}");
        }
        catch (HttpRequestException broken)
        {
            throw Unsent.Tell(broken, _url, Proxy.Before(_url));
        }
    }

    public void Dispose() => _connections.Dispose();

    // It is the announcement that was refused, by somebody who does not know such, and not the message.
    private async Task<HttpResponseMessage> SendAtOnceAsync(HeldMessage message, CancellationToken cancel)
    {
        using var request = _requests.For(message, mayAnnounce: false);
        return await _connections.SendAsync(request, cancel);
    }

    private async Task<Answer> ReadAsync(HttpResponseMessage response, CancellationToken cancel) => new(Endpoint, (int)response.StatusCode)
    {
        RetryAfter = RetryAfter(response.Headers),
        Location = response.Headers.Location is { } location ? RedirectTarget.Show(location.OriginalString) : null,
        Excerpt = await Excerpt.ReadAsync(response.Content, cancel),
    };

    // .NET reads no more seconds than an int holds: who says more means longer than any bound of ours.
    private TimeSpan? RetryAfter(HttpResponseHeaders headers) => headers.RetryAfter switch
    {
        { } after => after.Delta ?? after.Date - (headers.Date ?? time.GetUtcNow()),
        null when headers.NonValidated.TryGetValues("Retry-After", out var raw) && raw.ToString() is { Length: > 0 } said && said.All(char.IsAsciiDigit) => TimeSpan.MaxValue,
        null => null,
    };

    // An endpoint says by HTTP/2 how much it takes, and .NET sends it no more. Its other words without a cause or a kind are of connections: of one that was shut down, or bears no more requests.
    private bool IsTooLong(HttpRequestException unsent) =>
        options.Http2 && unsent is { HttpRequestError: HttpRequestError.Unknown, InnerException: null } && unsent.Message.Contains("headers length", StringComparison.Ordinal);
}
