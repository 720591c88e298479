using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Otlp;

/// <summary>Sends spans, on a thread that the SDK has for it.</summary>
internal sealed class WatchedTraceExporter(OtlpTarget target, SpanBacklog backlog, ILogger log, TimeProvider time) : OtlpTraceExporter(target.Options())
{
    private readonly CollectorWatch _watch = new(log, "Traces", target, time);

    public override ExportResult Export(in Batch<Activity> activityBatch)
    {
        // They leave the queue before they are sent.
        backlog.Sent(activityBatch.Count);
        return _watch.Note(base.Export(in activityBatch), ExportFailures.Take());
    }
}

/// <summary>Sends metrics, on a thread that the SDK has for it.</summary>
internal sealed class WatchedMetricExporter(OtlpTarget target, ILogger log, TimeProvider time) : OtlpMetricExporter(target.Options())
{
    private readonly CollectorWatch _watch = new(log, "Metrics", target, time);

    public override ExportResult Export(in Batch<Metric> metrics) => _watch.Note(base.Export(in metrics), ExportFailures.Take());
}
