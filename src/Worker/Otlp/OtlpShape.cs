using Holdfast.Consumer;
using Holdfast.Worker.Settings;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Otlp;

/// <summary>The form in which a collector has metrics: whether sums go on or begin anew with each sending, and what histograms are made of.</summary>
internal sealed record OtlpShape(MetricReaderTemporalityPreference Temporality, bool HasExponentialHistograms)
{
    private const string Preference = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
    private const string Aggregation = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";

    private static readonly string[] s_temporalities = ["cumulative", "delta", "lowmemory"];
    private static readonly string[] s_aggregations = ["explicit_bucket_histogram", "base2_exponential_bucket_histogram"];

    public static IEnumerable<string> Names { get; } = [Preference, Aggregation];

    public static OtlpShape Read(IConfiguration configuration, List<OptionError> errors)
    {
        return new(
            One(Preference, s_temporalities) switch
            {
                1 => MetricReaderTemporalityPreference.Delta,
                2 => MetricReaderTemporalityPreference.LowMemory,
                _ => MetricReaderTemporalityPreference.Cumulative,
            },
            One(Aggregation, s_aggregations) == 1);

        int One(string name, string[] known)
        {
            if (OtelSettings.Text(configuration, name) is not { } text)
                return 0;
            var found = Array.FindIndex(known, one => one.Equals(text, StringComparison.OrdinalIgnoreCase));
            if (found < 0)
                errors.Add(new(name, $"'{text}' is unknown; set {Rules.Or(known)}."));
            return found;
        }
    }
}
