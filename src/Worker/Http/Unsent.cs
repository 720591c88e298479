using System.Security.Authentication;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>Why a request had no answer, and what can be done about it.</summary>
internal static class Unsent
{
    public static string Describe(HttpRequestException broken, HttpOptions options)
    {
        var url = EndpointUrl.Parse(options.Url ?? "");
        var endpoint = url.GetLeftPart(UriPartial.Authority);
        var cause = Printable.OneLine(broken.GetBaseException().Message);
        return broken.HttpRequestError switch
        {
            HttpRequestError.NameResolutionError or HttpRequestError.ConnectionError => $"{endpoint} can't be reached: {cause}",
            HttpRequestError.SecureConnectionError when url.Scheme == Uri.UriSchemeHttps => Insecure(endpoint, "Worker__Http__Url"),

            // TLS is spoken with nobody else then.
            HttpRequestError.SecureConnectionError => Insecure($"The proxy before {endpoint}", "HTTP_PROXY or ALL_PROXY"),
            _ when options.Http2 => $"{endpoint} broke off: {cause} Where it does not speak HTTP/2, set Worker__Http__Http2=false.",
            _ => $"{endpoint} broke off: {cause}",
        };

        string Insecure(string who, string address) => IsWithoutTls(broken)
            ? $"{who} does not speak TLS: {cause} Set in {address} an address that does, or one that begins with http://."
            : $"{who} can't be trusted: {cause} Set Worker__Http__CaFile to the authority that signed its certificate, and in {address} a host that the certificate names.";
    }

    // .NET's only word for an answer that is none of TLS's.
    private static bool IsWithoutTls(HttpRequestException broken) =>
        broken.GetBaseException() is AuthenticationException problem && problem.Message.Contains("frame", StringComparison.Ordinal);
}
