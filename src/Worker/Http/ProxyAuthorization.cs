using System.Net;
using System.Text;

namespace Holdfast.Worker.Http;

/// <summary>
/// What a proxy wants to know of who asks it. .NET tells it only when the proxy has refused a request, and forgets that before the next: each message would be
/// sent twice.
/// </summary>
internal static class ProxyAuthorization
{
    private const string Basic = "Basic";

    /// <summary>The header for requests to this endpoint; null where no proxy, or nobody but a proxy's tunnel, is to see one.</summary>
    public static string? For(Uri endpoint, IWebProxy proxy)
    {
        // By https:// requests go through a tunnel, and such a header in them would reach the endpoint. So it would by a proxy that speaks SOCKS.
        if (endpoint.Scheme != Uri.UriSchemeHttp || Proxy.Before(endpoint, proxy) is not { } via || (via.Scheme != Uri.UriSchemeHttp && via.Scheme != Uri.UriSchemeHttps))
            return null;

        return proxy.Credentials?.GetCredential(via, Basic) is { UserName.Length: > 0 } known
            ? $"{Basic} {Convert.ToBase64String(Encoding.UTF8.GetBytes($"{User(known)}:{known.Password}"))}"
            : null;
    }

    private static string User(NetworkCredential known) => known.Domain.Length > 0 ? $"{known.Domain}\\{known.UserName}" : known.UserName;
}
