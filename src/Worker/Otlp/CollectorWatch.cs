using OpenTelemetry;

namespace Holdfast.Worker.Otlp;

/// <summary>Tells once that a collector does not take what is sent to it, and once that it does again. On the exporting thread.</summary>
internal sealed partial class CollectorWatch(ILogger log, string what, OtlpTarget target)
{
    private bool _isRefused;

    public ExportResult Note(ExportResult result)
    {
        var isRefused = result == ExportResult.Failure;
        if (isRefused && !_isRefused)
            LogRefused(log, what, target.Host);
        else if (!isRefused && _isRefused)
            LogTaken(log, target.Host, what);
        _isRefused = isRefused;
        return result;
    }

    [LoggerMessage(LogLevel.Warning, "{What} can't be sent to the collector at {Host}; what is not sent is dropped, and nothing else waits for it. See OTEL_EXPORTER_OTLP_ENDPOINT and _PROTOCOL.")]
    private static partial void LogRefused(ILogger log, string what, string host);

    [LoggerMessage(LogLevel.Information, "The collector at {Host} takes {What} again.")]
    private static partial void LogTaken(ILogger log, string host, string what);
}
