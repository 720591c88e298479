using System.Diagnostics;
using Holdfast.Consumer;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes the trace that a sample is an example of.</summary>
internal static class ExemplarText
{
    public static void WriteNewest(Utf8Text text, MetricType type, in MetricPoint point)
    {
        if (!point.TryGetExemplars(out var exemplars))
            return;
        Exemplar? newest = null;
        foreach (ref readonly var exemplar in exemplars)
        {
            if (newest is null || exemplar.Timestamp > newest.Value.Timestamp)
                newest = exemplar;
        }

        if (newest is { } found)
            Write(text, in found, type.IsLong() ? found.LongValue : found.DoubleValue);
    }

    /// <summary>Writes the exemplar that fell above one bound, and not above the other.</summary>
    public static void WriteWithin(Utf8Text text, ReadOnlyExemplarCollection exemplars, double above, double upTo)
    {
        foreach (ref readonly var exemplar in exemplars)
        {
            if (exemplar.DoubleValue > above && exemplar.DoubleValue <= upTo)
            {
                Write(text, in exemplar, exemplar.DoubleValue);
                return;
            }
        }
    }

    public static void Write(Utf8Text text, DistributionExample example) => Write(text, example.TraceId, example.SpanId, example.Seconds, example.At);

    private static void Write(Utf8Text text, in Exemplar exemplar, double value) => Write(text, exemplar.TraceId, exemplar.SpanId, value, exemplar.Timestamp);

    private static void Write(Utf8Text text, ActivityTraceId trace, ActivitySpanId span, double value, DateTimeOffset at)
    {
        text.Write(" # {"u8);
        if (trace != default)
        {
            text.Write("trace_id=\""u8);
            text.Write(trace.ToHexString());
            text.Write("\",span_id=\""u8);
            text.Write(span.ToHexString());
            text.Write((byte)'"');
        }

        text.Write("} "u8);
        text.Write(value);
        text.Write((byte)' ');
        text.Write(at.ToUnixTimeMilliseconds() / 1000.0);
    }
}
