using System.Security.Cryptography;
using System.Text;
using Holdfast.Worker.Management;

namespace Holdfast.Worker.Status;

/// <summary>Serves the page's own files, which are part of this program; a browser that has one already is told so.</summary>
internal static class PageFiles
{
    private const string Folder = "page/";
    private const string Index = "index.html";

    // Where a page is told which one it is.
    private const string Mark = "{edition}";

    // Nothing from elsewhere, and no script or style in the page's text: whatever a message carries, it can't become either.
    private const string Policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static readonly (string Name, byte[] Bytes)[] s_files =
        [.. typeof(PageFiles).Assembly.GetManifestResourceNames().Where(name => name.StartsWith(Folder, StringComparison.Ordinal)).Order(StringComparer.Ordinal).Select(Read)];

    /// <summary>Which page it is: that of another program, of which any file is another, is another.</summary>
    public static string Edition { get; } = Hash([.. s_files.SelectMany(file => file.Bytes)]);

    public static void MapPageFiles(this IEndpointRouteBuilder endpoints)
    {
        foreach (var (name, read) in s_files)
        {
            var bytes = name == Index ? Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(read).Replace(Mark, Edition, StringComparison.Ordinal)) : read;
            var (type, tag) = (TypeOf(name), $"\"{Hash(bytes)}\"");
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

    private static string Hash(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes), 0, 16);

    private static (string Name, byte[] Bytes) Read(string resource)
    {
        using var stream = typeof(PageFiles).Assembly.GetManifestResourceStream(resource)!;
        var bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return (resource[Folder.Length..], bytes);
    }
}
