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
        var isOpen = format == ExpositionFormat.OpenMetrics;
        var name = !isOpen && Kind == SeriesKind.Counter ? SampleNames[0] : Name;
        var unit = MetricName.Unit(metric.Unit ?? "", Kind);
        var text = new Utf8Text();
        text.Write($"# TYPE {name} {Kind switch { SeriesKind.Counter => "counter", SeriesKind.Histogram => "histogram", _ => "gauge" }}\n");
        if (isOpen && unit.Length > 0)
            text.Write($"# UNIT {name} {unit}\n");
        if (!string.IsNullOrEmpty(metric.Description))
        {
            text.Write($"# HELP {name} ");
            text.WriteEscaped(metric.Description, quotes: isOpen);
            text.Write((byte)'\n');
        }

        var header = text.Written.ToArray();
        text.ReturnToPool();
        return header;
    }
}
