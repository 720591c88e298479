using System.Text;
using Holdfast.Consumer;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes one of the engine's distributions: a histogram whose series are there from the start.</summary>
internal sealed class DistributionFamily
{
    private readonly Distribution _distribution;
    private readonly byte[][] _names;
    private readonly byte[] _textHeader;
    private readonly byte[] _openMetricsHeader;
    private readonly Dictionary<DistributionSeries, byte[]> _labels = [];
    private readonly long[] _counts;

    public DistributionFamily(Distribution distribution)
    {
        _distribution = distribution;
        _counts = new long[distribution.Bounds.Count + 1];
        var name = MetricName.Family(distribution.Name, distribution.Unit, SeriesKind.Histogram);
        var unit = MetricName.Unit(distribution.Unit, SeriesKind.Histogram);
        _names = [Encoding.UTF8.GetBytes($"{name}_bucket"), Encoding.UTF8.GetBytes($"{name}_sum"), Encoding.UTF8.GetBytes($"{name}_count")];
        _textHeader = FamilyHeader.Of(name, SeriesKind.Histogram, unit, distribution.Description, ExpositionFormat.Text);
        _openMetricsHeader = FamilyHeader.Of(name, SeriesKind.Histogram, unit, distribution.Description, ExpositionFormat.OpenMetrics);
    }

    public void Write(Utf8Text text, LabelWriter labels, ExpositionFormat format)
    {
        var series = _distribution.Series;
        if (series.Count == 0)
            return;

        var isOpen = format == ExpositionFormat.OpenMetrics;
        text.Write(isOpen ? _openMetricsHeader : _textHeader);
        foreach (var one in series)
            Write(text, labels, one, isOpen);
    }

    private void Write(Utf8Text text, LabelWriter labels, DistributionSeries series, bool isOpen)
    {
        text.Write(_names[0]);
        text.Write((byte)'{');
        var start = text.Length;
        WriteLabels(text, labels, series);
        var histogram = new HistogramText(text, _names, (start, text.Length - start), isOpen);

        Array.Clear(_counts);
        var sum = series.Read(_counts);
        var upToIt = 0L;
        for (var bucket = 0; bucket < _counts.Length; bucket++)
        {
            if (bucket > 0)
                histogram.BeginNextBucket();
            upToIt += _counts[bucket];
            histogram.WriteBucket(bucket < _counts.Length - 1 ? _distribution.Bounds[bucket] : double.PositiveInfinity, upToIt);
            if (isOpen && series.ExampleOf(bucket) is { } example)
                ExemplarText.Write(text, example);
        }

        histogram.WriteSumAndCount(sum, upToIt);
    }

    private void WriteLabels(Utf8Text text, LabelWriter labels, DistributionSeries series)
    {
        if (!_labels.TryGetValue(series, out var written))
        {
            var start = text.Length;
            labels.Write(text, _distribution.Meter, series.Tags);
            _labels.Add(series, text.Slice(start, text.Length - start).ToArray());
        }
        else
        {
            text.Write(written);
        }
    }
}
