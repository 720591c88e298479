using System.Net;

namespace Holdfast.Worker.Http;

/// <summary>The proxy that requests to an endpoint go by.</summary>
internal static class Proxy
{
    /// <summary>As .NET's own variables have it.</summary>
    public static Uri? Before(Uri endpoint) => Before(endpoint, HttpClient.DefaultProxy);

    public static Uri? Before(Uri endpoint, IWebProxy proxy) => IsUseless(endpoint) || proxy.IsBypassed(endpoint) ? null : proxy.GetProxy(endpoint);

    /// <summary>A proxy's own machine is another.</summary>
    public static bool IsUseless(Uri endpoint) => endpoint.IsLoopback;

    /// <summary>Its address without the user and the password, which the variable holds as well.</summary>
    public static string Show(Uri proxy) => proxy.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped);
}
