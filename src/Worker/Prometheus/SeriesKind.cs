using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>What Prometheus calls the type of a metric.</summary>
internal enum SeriesKind
{
    Counter,
    Gauge,
    Histogram,
}

/// <summary>Finds the Prometheus type of an OpenTelemetry metric.</summary>
internal static class SeriesKinds
{
    public static SeriesKind Of(MetricType type) => type switch
    {
        MetricType.LongSum or MetricType.DoubleSum => SeriesKind.Counter,
        MetricType.Histogram or MetricType.ExponentialHistogram => SeriesKind.Histogram,
        _ => SeriesKind.Gauge,
    };
}
