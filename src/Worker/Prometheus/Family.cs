using System.Text;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>All metrics that share one name and one header.</summary>
internal sealed class Family
{
    private readonly byte[] _textHeader;
    private readonly byte[] _openMetricsHeader;

    public Family(Metric first)
    {
        Kind = SeriesKinds.Of(first.MetricType);
        Name = MetricName.Family(first.Name, first.Unit ?? "", Kind);
        SampleNames = Kind switch
        {
            SeriesKind.Counter => [$"{Name}_total"],
            SeriesKind.Histogram => [$"{Name}_bucket", $"{Name}_sum", $"{Name}_count"],
            _ => [Name],
        };
        Samples = [.. SampleNames.Select(Encoding.UTF8.GetBytes)];
        _textHeader = Header(first, ExpositionFormat.Text);
        _openMetricsHeader = Header(first, ExpositionFormat.OpenMetrics);
        Metrics = [first];
    }

    public SeriesKind Kind { get; }

    public string Name { get; }

    /// <summary>What its samples are called: a histogram's are bucket, sum and count, in this order.</summary>
    public string[] SampleNames { get; }

    /// <summary><see cref="SampleNames"/> in UTF-8.</summary>
    public byte[][] Samples { get; }

    public List<Metric> Metrics { get; }

    public ReadOnlySpan<byte> HeaderIn(ExpositionFormat format) =>
        format == ExpositionFormat.OpenMetrics ? _openMetricsHeader : _textHeader;

    private byte[] Header(Metric metric, ExpositionFormat format)
    {
        var name = format == ExpositionFormat.Text && Kind == SeriesKind.Counter ? SampleNames[0] : Name;
        return FamilyHeader.Of(name, Kind, MetricName.Unit(metric.Unit ?? "", Kind), metric.Description, format);
    }
}
