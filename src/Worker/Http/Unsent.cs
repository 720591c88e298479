using System.Security.Authentication;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>Why a request had no answer, and what can be done about it.</summary>
internal static class Unsent
{
    // What .NET and OpenSSL say when an endpoint closes, answers by HTTP/1, asks for it, or does not offer HTTP/2 by TLS. There is no kind of error for it.
    private static readonly string[] s_withoutHttp2 = ["HTTP/2 handshake", "server sent invalid data", "HTTP_1_1_REQUIRED", "no application protocol"];

    public static EndpointException Tell(HttpRequestException broken, Uri url, Uri? proxy) =>
        new(Describe(broken, url, proxy), CauseOf(broken));

    private static string Describe(HttpRequestException broken, Uri url, Uri? proxy)
    {
        var endpoint = url.GetLeftPart(UriPartial.Authority);
        var isSecure = url.Scheme == Uri.UriSchemeHttps;
        var before = $"The proxy before {endpoint}{(proxy is null ? "" : $" ({Proxy.Show(proxy)})")}";
        var variables = isSecure ? "HTTPS_PROXY or ALL_PROXY" : "HTTP_PROXY or ALL_PROXY";
        var cause = Printable.OneLine(broken.GetBaseException().Message);
        return broken.HttpRequestError switch
        {
            HttpRequestError.ProxyTunnelError when (int?)broken.StatusCode is { } status =>
                $"{before} answered {Answer.Show(status)}.{(status == 407 ? $" Set its user and password in {variables}, or the endpoint's host in NO_PROXY." : "")}",
            HttpRequestError.ProxyTunnelError => $"{before} gave no way through: {cause}",
            HttpRequestError.NameResolutionError or HttpRequestError.ConnectionError => $"{(proxy is null ? endpoint : before)} can't be reached: {cause}",
            HttpRequestError.SecureConnectionError when isSecure => Insecure(endpoint, "Worker__Http__Url"),

            // TLS is spoken with nobody else then.
            HttpRequestError.SecureConnectionError => Insecure(before, variables),
            _ => $"{endpoint} broke off: {cause}{WithoutHttp2(broken)}{(IsOverLimit(broken) ? " Where it takes fewer requests at once, lower Worker__MaxConcurrency." : "")}",
        };

        string Insecure(string who, string address) => broken.InnerException switch
        {
            UntrustedException why => $"{who} can't be trusted: {cause}{Cures(why, address)}",
            _ when IsWithoutTls(broken) => $"{who} does not speak TLS: {cause} Set in {address} an address that does, or one that begins with http://.",
            _ => $"{who} broke off while TLS was agreed on: {cause}{WithoutHttp2(broken)}",
        };
    }

    // .NET's text for what a proxy answers shows the proxy's address, and its password with it. Causes are told too, as far as a dead letter.
    private static Exception? CauseOf(HttpRequestException broken) => broken.HttpRequestError == HttpRequestError.ProxyTunnelError ? broken.InnerException : broken;

    private static string Cures(UntrustedException why, string address) =>
        (why.IsOfNobodyKnown ? " Set Worker__Http__CaFile to the authority that signed its certificate." : "")
        + (why.IsMisnamed ? $" Set in {address} a host that the certificate names." : "");

    private static string WithoutHttp2(HttpRequestException broken) => IsWithoutHttp2(broken) ? " Where it does not speak HTTP/2, set Worker__Http__Http2=false." : "";

    private static bool IsWithoutHttp2(HttpRequestException broken) =>
        broken.HttpRequestError == HttpRequestError.VersionNegotiationError
        || s_withoutHttp2.Any(words => broken.Message.Contains(words, StringComparison.Ordinal) || broken.GetBaseException().Message.Contains(words, StringComparison.Ordinal));

    // .NET learns how many requests a connection bears once it has sent some, sends the others by new ones, and gives up after several. It has no kind for it.
    private static bool IsOverLimit(HttpRequestException broken) =>
        broken.GetBaseException() is var cause
        && (cause.Message.Contains("REFUSED_STREAM", StringComparison.Ordinal) || (cause == broken && cause.Message.Contains("request was aborted", StringComparison.Ordinal)));

    // .NET's only word for an answer that is none of TLS's.
    private static bool IsWithoutTls(HttpRequestException broken) =>
        broken.GetBaseException() is AuthenticationException problem && problem.Message.Contains("frame", StringComparison.Ordinal);
}
