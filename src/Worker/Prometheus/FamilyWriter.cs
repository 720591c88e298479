using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes a family: its header and its series, each of them once.</summary>
internal sealed class FamilyWriter(LabelWriter labels)
{
    private readonly SeriesSet _seen = new();

    /// <summary>Returns how many series were left out, because they had come before.</summary>
    public int Write(Utf8Text text, Family family, ExpositionFormat format)
    {
        var (isFirst, doubles) = (true, 0);
        _seen.Clear();
        foreach (var metric in family.Metrics)
        {
            foreach (ref readonly var point in metric.GetMetricPoints())
            {
                if (isFirst)
                    text.Write(family.HeaderIn(format));
                isFirst = false;
                if (!WriteSeries(text, family, metric, in point, format))
                    doubles++;
            }
        }

        return doubles;
    }

    private bool WriteSeries(Utf8Text text, Family family, Metric metric, in MetricPoint point, ExpositionFormat format)
    {
        var start = text.Length;
        text.Write(family.Samples[0]);
        text.Write((byte)'{');
        var first = text.Length;
        labels.Write(text, metric, point.Tags);
        if (!_seen.Add(text, first, text.Length - first))
        {
            text.CutTo(start);
            return false;
        }

        if (family.Kind == SeriesKind.Histogram)
        {
            var isOpen = format == ExpositionFormat.OpenMetrics;
            ReadOnlyExemplarCollection? examples = isOpen && point.TryGetExemplars(out var exemplars) ? exemplars : null;
            MetricHistogram.Write(text, new HistogramText(text, family.Samples, (first, text.Length - first), isOpen), metric, in point, examples);
        }
        else
            WriteValue(text, metric.MetricType, in point, format);
        return true;
    }

    private static void WriteValue(Utf8Text text, MetricType type, in MetricPoint point, ExpositionFormat format)
    {
        text.Write("} "u8);
        switch (type)
        {
            case MetricType.LongSum or MetricType.LongSumNonMonotonic:
                text.Write(point.GetSumLong());
                break;
            case MetricType.DoubleSum or MetricType.DoubleSumNonMonotonic:
                text.Write(point.GetSumDouble());
                break;
            case MetricType.LongGauge:
                text.Write(point.GetGaugeLastValueLong());
                break;
            default:
                text.Write(point.GetGaugeLastValueDouble());
                break;
        }

        if (format == ExpositionFormat.OpenMetrics && type is (MetricType.LongSum or MetricType.DoubleSum))
            ExemplarText.WriteNewest(text, type, in point);
        text.Write((byte)'\n');
    }
}
