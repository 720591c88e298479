using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes a histogram that the SDK has aggregated.</summary>
internal static class MetricHistogram
{
    public static void Write(Utf8Text text, in HistogramText histogram, Metric metric, in MetricPoint point, ReadOnlyExemplarCollection? examples)
    {
        // An exponential histogram has no bounds of its own to show.
        var highest = metric.MetricType == MetricType.Histogram
            ? WriteBuckets(text, in histogram, point.GetHistogramBuckets(), examples)
            : double.NegativeInfinity;
        histogram.WriteBucket(double.PositiveInfinity, point.GetHistogramCount());
        WriteExample(text, examples, highest, double.PositiveInfinity);
        histogram.WriteSumAndCount(point.GetHistogramSum(), point.GetHistogramCount());
    }

    private static double WriteBuckets(Utf8Text text, in HistogramText histogram, HistogramBuckets buckets, ReadOnlyExemplarCollection? examples)
    {
        var (below, highest) = (0L, double.NegativeInfinity);
        foreach (var bucket in buckets)
        {
            if (double.IsPositiveInfinity(bucket.ExplicitBound))
                break;
            below += bucket.BucketCount;
            histogram.WriteBucket(bucket.ExplicitBound, below);
            WriteExample(text, examples, highest, bucket.ExplicitBound);
            highest = bucket.ExplicitBound;
            histogram.BeginNextBucket();
        }

        return highest;
    }

    private static void WriteExample(Utf8Text text, ReadOnlyExemplarCollection? examples, double above, double upTo)
    {
        if (examples is { } some)
            ExemplarText.WriteWithin(text, some, above, upTo);
    }
}
