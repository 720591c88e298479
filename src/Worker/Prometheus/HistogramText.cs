using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes one histogram: buckets that count everything below their bound, then sum and count.</summary>
internal readonly ref struct HistogramText(Utf8Text text, Family family, ReadOnlyExemplarCollection? exemplars, (int Start, int Length) labels, bool isOpen)
{
    /// <summary>Goes on where the first bucket's name and labels have just been written.</summary>
    public void Write(Metric metric, in MetricPoint point)
    {
        // An exponential histogram has no bounds of its own to show.
        var highest = metric.MetricType == MetricType.Histogram ? WriteBuckets(point.GetHistogramBuckets()) : double.NegativeInfinity;
        text.Write(",le=\"+Inf\"} "u8);
        text.Write(point.GetHistogramCount());
        WriteExemplar(highest, double.PositiveInfinity);
        Begin(family.Samples[1]);
        text.Write("} "u8);
        text.Write(point.GetHistogramSum());
        Begin(family.Samples[2]);
        text.Write("} "u8);
        text.Write(point.GetHistogramCount());
        text.Write((byte)'\n');
    }

    private double WriteBuckets(HistogramBuckets buckets)
    {
        var (below, highest) = (0L, double.NegativeInfinity);
        foreach (var bucket in buckets)
        {
            if (double.IsPositiveInfinity(bucket.ExplicitBound))
                break;
            below += bucket.BucketCount;
            WriteBound(bucket.ExplicitBound);
            text.Write(below);
            WriteExemplar(highest, bucket.ExplicitBound);
            highest = bucket.ExplicitBound;
            Begin(family.Samples[0]);
        }

        return highest;
    }

    private void WriteExemplar(double above, double upTo)
    {
        if (exemplars is { } some)
            ExemplarText.WriteWithin(text, some, above, upTo);
    }

    private void Begin(byte[] name)
    {
        text.Write((byte)'\n');
        text.Write(name);
        text.Write((byte)'{');
        text.Repeat(labels.Start, labels.Length);
    }

    // OpenMetrics wants a bound to look like a float, even where it is whole.
    private void WriteBound(double bound)
    {
        text.Write(",le=\""u8);
        var start = text.Length;
        text.Write(bound);
        if (isOpen && text.Slice(start, text.Length - start).IndexOfAny((byte)'.', (byte)'E') < 0)
            text.Write(".0"u8);
        text.Write("\"} "u8);
    }
}
