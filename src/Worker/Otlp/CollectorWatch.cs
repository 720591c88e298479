using OpenTelemetry;

namespace Holdfast.Worker.Otlp;

/// <summary>Tells once that a collector does not take what is sent to it, and once that it does again. On the exporting thread.</summary>
internal sealed partial class CollectorWatch(ILogger log, string what, OtlpTarget target, TimeProvider time)
{
    // One that takes only some of what it gets is told of no more often than one that takes nothing.
    private static readonly TimeSpan s_calm = TimeSpan.FromMinutes(1);

    private bool _isRefused;
    private long _refusedAt;

    public ExportResult Note(ExportResult result, string? why)
    {
        if (result == ExportResult.Failure)
            Refused(why ?? "the exporter does not say why");
        else if (_isRefused && time.GetElapsedTime(_refusedAt) >= s_calm)
            TakenAgain();
        return result;
    }

    private void Refused(string why)
    {
        _refusedAt = time.GetTimestamp();
        if (_isRefused)
            return;
        _isRefused = true;
        LogRefused(log, what, target.Host, why);
    }

    private void TakenAgain()
    {
        _isRefused = false;
        LogTaken(log, target.Host, what);
    }

    [LoggerMessage(LogLevel.Warning, "{What} can't be sent to the collector at {Host} ({Why}); what is not sent is dropped, and nothing else waits for it. See OTEL_EXPORTER_OTLP_ENDPOINT, _PROTOCOL and _HEADERS.")]
    private static partial void LogRefused(ILogger log, string what, string host, string why);

    [LoggerMessage(LogLevel.Information, "The collector at {Host} takes {What} again.")]
    private static partial void LogTaken(ILogger log, string host, string what);
}
