using System.Diagnostics;
using OpenTelemetry;

namespace Holdfast.Worker.Otlp;

/// <summary>Keeps spans until they are sent, and has them counted. On the thread that ends a span.</summary>
internal sealed class SpanQueue(BaseExporter<Activity> exporter, OtlpPace pace, SpanBacklog backlog)
    : BatchActivityExportProcessor(exporter, pace.SpanQueue, pace.SpanDelay, pace.SpanTimeout, pace.SpanBatch)
{
    protected override void OnExport(Activity data)
    {
        base.OnExport(data);
        backlog.Ended();
    }
}
