using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Http;

/// <summary>Reads where messages are posted to.</summary>
internal static class EndpointUrl
{
    /// <summary>Of settings that were found right.</summary>
    public static Uri Of(HttpOptions options) => Parse(options.Url ?? "");

    /// <exception cref="FormatException">It is no address that can be posted to. What is wrong is told without the address, which may hold a secret.</exception>
    public static Uri Parse(string url)
    {
        const string Example = "set one such as http://localhost:3000/orders.";
        if (url.Length == 0)
            throw new FormatException($"It is not set; {Example}");
        if (!Uri.TryCreate(url, UriKind.Absolute, out var parsed) || (parsed.Scheme != Uri.UriSchemeHttp && parsed.Scheme != Uri.UriSchemeHttps))
            throw new FormatException($"It is no http:// or https:// address; {Example}");
        return parsed.UserInfo.Length == 0
            ? parsed
            : throw new FormatException("It holds a user or a password; set Worker__Http__Authorization in their place.");
    }
}
