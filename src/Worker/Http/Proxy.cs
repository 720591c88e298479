namespace Holdfast.Worker.Http;

/// <summary>The proxy that requests to an endpoint go by, as .NET's own variables have it.</summary>
internal static class Proxy
{
    public static Uri? Before(Uri endpoint) =>
        IsUseless(endpoint) || HttpClient.DefaultProxy.IsBypassed(endpoint) ? null : HttpClient.DefaultProxy.GetProxy(endpoint);

    /// <summary>A proxy's own machine is another.</summary>
    public static bool IsUseless(Uri endpoint) => endpoint.IsLoopback;

    /// <summary>Its address without the user and the password, which the variable holds as well.</summary>
    public static string Show(Uri proxy) => proxy.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped);
}
