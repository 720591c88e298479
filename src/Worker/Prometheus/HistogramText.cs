using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes one histogram: buckets that count everything below their bound, then sum and count.</summary>
internal static class HistogramText
{
    /// <summary>Goes on where the first bucket's name and labels have just been written.</summary>
    public static void Write(Utf8Text text, Family family, Metric metric, in MetricPoint point, (int Start, int Length) labels, ExpositionFormat format)
    {
        var isOpen = format == ExpositionFormat.OpenMetrics;
        var hasExemplars = point.TryGetExemplars(out var exemplars) && isOpen;
        var count = point.GetHistogramCount();
        if (metric.MetricType == MetricType.Histogram)
        {
            var (below, lowest) = (0L, double.NegativeInfinity);
            foreach (var bucket in point.GetHistogramBuckets())
            {
                if (double.IsPositiveInfinity(bucket.ExplicitBound))
                    break;
                below += bucket.BucketCount;
                WriteBound(text, bucket.ExplicitBound, isOpen);
                text.Write(below);
                if (hasExemplars)
                    ExemplarText.WriteWithin(text, exemplars, lowest, bucket.ExplicitBound);
                lowest = bucket.ExplicitBound;
                Begin(text, family.Samples[0], labels);
            }

            WriteLast(text, count, hasExemplars ? exemplars : null, lowest);
        }
        else
            WriteLast(text, count, hasExemplars ? exemplars : null, double.NegativeInfinity);

        Begin(text, family.Samples[1], labels);
        text.Write("} "u8);
        text.Write(point.GetHistogramSum());
        Begin(text, family.Samples[2], labels);
        text.Write("} "u8);
        text.Write(count);
        text.Write((byte)'\n');
    }

    private static void WriteLast(Utf8Text text, long count, ReadOnlyExemplarCollection? exemplars, double lowest)
    {
        text.Write(",le=\"+Inf\"} "u8);
        text.Write(count);
        if (exemplars is { } some)
            ExemplarText.WriteWithin(text, some, lowest, double.PositiveInfinity);
    }

    private static void Begin(Utf8Text text, byte[] name, (int Start, int Length) labels)
    {
        text.Write((byte)'\n');
        text.Write(name);
        text.Write((byte)'{');
        text.Repeat(labels.Start, labels.Length);
    }

    // OpenMetrics wants a bound to look like a float, even where it is whole.
    private static void WriteBound(Utf8Text text, double bound, bool isOpen)
    {
        text.Write(",le=\""u8);
        var start = text.Length;
        text.Write(bound);
        if (isOpen && text.Slice(start, text.Length - start).IndexOfAny((byte)'.', (byte)'E') < 0)
            text.Write(".0"u8);
        text.Write("\"} "u8);
    }
}
