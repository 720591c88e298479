using System.Text;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Http;

/// <summary>The beginning of what an endpoint answered, for a person to read.</summary>
internal static class Excerpt
{
    private const int MostBytes = 1024;

    /// <summary>Reads no more than it shows, and bears with whatever happens meanwhile: the status is known, and what has come of the text will do.</summary>
    public static async Task<string> ReadAsync(HttpContent content, CancellationToken cancel)
    {
        var (bytes, count) = (new byte[MostBytes], 0);
        try
        {
            await using var stream = await content.ReadAsStreamAsync(cancel);
            while (count < MostBytes && await stream.ReadAsync(bytes.AsMemory(count), cancel) is > 0 and var more)
                count += more;
        }
        catch (Exception broken) when (broken is HttpRequestException or IOException or OperationCanceledException)
        {
        }

        return Show(content.Headers.ContentType?.MediaType ?? "text/plain", bytes.AsSpan(0, count));
    }

    private static string Show(string type, ReadOnlySpan<byte> bytes) =>
        bytes.IsEmpty ? ""
        : IsText(type) ? Printable.OneLine(Encoding.UTF8.GetString(bytes)).Trim()
        : $"({Printable.OneLine(type)})";

    private static bool IsText(string type) =>
        type.StartsWith("text/", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("json", StringComparison.OrdinalIgnoreCase)
        || type.EndsWith("xml", StringComparison.OrdinalIgnoreCase);
}
