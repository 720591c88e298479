using System.Security.Cryptography;
using Holdfast.Worker.Management;

namespace Holdfast.Worker.Status;

/// <summary>Serves the page's own files, which are part of this program; a browser that has one already is told so.</summary>
internal static class PageFiles
{
    private const string Folder = "page/";
    private const string Index = "index.html";

    // Nothing from elsewhere, and no script or style in the page's text: whatever a message carries, it can't become either.
    private const string Policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    public static void MapPageFiles(this IEndpointRouteBuilder endpoints)
    {
        foreach (var resource in typeof(PageFiles).Assembly.GetManifestResourceNames().Where(name => name.StartsWith(Folder, StringComparison.Ordinal)))
        {
            var name = resource[Folder.Length..];
            var (bytes, type) = (Read(resource), TypeOf(name));
            var tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(bytes), 0, 16)}\"";
            endpoints.MapLook(name == Index ? "/" : $"/status/{name}", context => SendAsync(context, bytes, type, tag));
        }
    }

    private static Task SendAsync(HttpContext context, byte[] bytes, string type, string tag)
    {
        var headers = context.Response.Headers;
        headers.ContentSecurityPolicy = Policy;
        headers.XContentTypeOptions = "nosniff";
        headers["Referrer-Policy"] = "no-referrer";
        headers.CacheControl = "no-cache";
        headers.ETag = tag;
        if (context.Request.Headers.IfNoneMatch == tag)
        {
            context.Response.StatusCode = StatusCodes.Status304NotModified;
            return Task.CompletedTask;
        }

        context.Response.ContentType = type;
        context.Response.ContentLength = bytes.Length;
        return context.Response.Body.WriteAsync(bytes, context.RequestAborted).AsTask();
    }

    private static string TypeOf(string name) => Path.GetExtension(name) switch
    {
        ".html" => "text/html; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".js" or ".mjs" => "text/javascript; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };

    private static byte[] Read(string resource)
    {
        using var stream = typeof(PageFiles).Assembly.GetManifestResourceStream(resource)!;
        var bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }
}
