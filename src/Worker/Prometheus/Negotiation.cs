using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Holdfast.Worker.Prometheus;

/// <summary>Finds the format that a scraper would rather have, from its Accept header.</summary>
internal static class Negotiation
{
    public const string TextContentType = "text/plain; version=0.0.4; charset=utf-8";
    public const string OpenMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    public static string ContentType(ExpositionFormat format) =>
        format == ExpositionFormat.OpenMetrics ? OpenMetricsContentType : TextContentType;

    /// <summary>The text format wherever nothing better is asked for: every scraper reads it.</summary>
    public static ExpositionFormat Choose(StringValues accept)
    {
        if (!MediaTypeHeaderValue.TryParseList(accept, out var asked))
            return ExpositionFormat.Text;
        var openMetrics = asked.Where(IsOpenMetrics).Select(Quality).DefaultIfEmpty(0).Max();
        var text = asked.Where(IsText).Select(Quality).DefaultIfEmpty(0).Max();
        return openMetrics > 0 && openMetrics >= text ? ExpositionFormat.OpenMetrics : ExpositionFormat.Text;
    }

    private static bool IsOpenMetrics(MediaTypeHeaderValue type) =>
        type.MediaType.Equals("application/openmetrics-text", StringComparison.OrdinalIgnoreCase) && IsVersion(type, "1.0.0");

    private static bool IsText(MediaTypeHeaderValue type) =>
        type.MediaType.Equals("text/plain", StringComparison.OrdinalIgnoreCase) && IsVersion(type, "0.0.4");

    private static bool IsVersion(MediaTypeHeaderValue type, string version)
    {
        var asked = type.Parameters.FirstOrDefault(p => p.Name.Equals("version", StringComparison.OrdinalIgnoreCase));
        return asked is null || asked.GetUnescapedValue() == version;
    }

    private static double Quality(MediaTypeHeaderValue type) => type.Quality ?? 1;
}
