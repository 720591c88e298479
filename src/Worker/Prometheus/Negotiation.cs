using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Holdfast.Worker.Prometheus;

/// <summary>Finds the format that a scraper would rather have, from its Accept header.</summary>
internal static class Negotiation
{
    private const string TextContentType = "text/plain; version=0.0.4; charset=utf-8";
    private const string OpenMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    public static string ContentType(ExpositionFormat format) =>
        format == ExpositionFormat.OpenMetrics ? OpenMetricsContentType : TextContentType;

    /// <summary>The text format wherever nothing better is asked for: every scraper reads it.</summary>
    public static ExpositionFormat Choose(StringValues accept)
    {
        if (!MediaTypeHeaderValue.TryParseList(accept, out var asked))
            return ExpositionFormat.Text;
        var openMetrics = Quality(asked, "application/openmetrics-text", "1.0.0") ?? 0;
        var text = Quality(asked, "text/plain", "0.0.4") ?? Quality(asked, "text/*") ?? Quality(asked, "*/*") ?? 0;
        return openMetrics > 0 && openMetrics >= text ? ExpositionFormat.OpenMetrics : ExpositionFormat.Text;
    }

    private static double? Quality(IEnumerable<MediaTypeHeaderValue> asked, string type, string? version = null) =>
        asked.Where(a => a.MediaType.Equals(type, StringComparison.OrdinalIgnoreCase) && (version is null || IsVersion(a, version)))
            .Max(a => (double?)(a.Quality ?? 1));

    private static bool IsVersion(MediaTypeHeaderValue type, string version)
    {
        var asked = type.Parameters.FirstOrDefault(p => p.Name.Equals("version", StringComparison.OrdinalIgnoreCase));
        return asked is null || asked.GetUnescapedValue() == version;
    }
}
