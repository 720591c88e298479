using Holdfast.Worker.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Holdfast.Worker.Otlp;

/// <summary>Sends traces and metrics to a collector for as long as the host runs. A collector that does not answer costs what it was sent, and nothing else.</summary>
internal sealed class OtlpExport(OtelSettings settings, ILogger<OtlpExport> log) : IHostedService, IDisposable
{
    private const int MostMillisecondsToSendTheRest = 2_000;

    private TracerProvider? _traces;
    private MeterProvider? _metrics;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (settings.Traces is { } traces)
            _traces = Traces(traces);
        if (settings.Metrics is { } metrics)
            _metrics = Metrics(metrics);
        return Task.CompletedTask;
    }

    // Side by side, for a collector that does not answer takes all the time there is.
    public Task StopAsync(CancellationToken cancellationToken) => Task.WhenAll(
        Task.Run(() => _traces?.Shutdown(MostMillisecondsToSendTheRest), CancellationToken.None),
        Task.Run(() => _metrics?.Shutdown(MostMillisecondsToSendTheRest), CancellationToken.None));

    public void Dispose()
    {
        _traces?.Dispose();
        _metrics?.Dispose();
    }

    private TracerProvider Traces(OtlpTarget target)
    {
        var batch = new BatchExportActivityProcessorOptions();
        return Sdk.CreateTracerProviderBuilder()
            .ConfigureResource(Identity.Describe)
            .AddSource(Identity.Telemetry)
            .SetSampler(settings.Sampling.Sampler())
            .AddProcessor(new BatchActivityExportProcessor(
                new WatchedTraceExporter(target, log),
                batch.MaxQueueSize,
                batch.ScheduledDelayMilliseconds,
                batch.ExporterTimeoutMilliseconds,
                batch.MaxExportBatchSize))
            .Build();
    }

    private MeterProvider Metrics(OtlpTarget target)
    {
        var reading = new PeriodicExportingMetricReaderOptions();
        return Sdk.CreateMeterProviderBuilder()
            .ConfigureResource(Identity.Describe)
            .AddMeter(Identity.Telemetry, Identity.Runtime)
            .SetExemplarFilter(ExemplarFilterType.TraceBased)
            .AddReader(new PeriodicExportingMetricReader(
                new WatchedMetricExporter(target, log),
                reading.ExportIntervalMilliseconds ?? 60_000,
                reading.ExportTimeoutMilliseconds ?? 30_000))
            .Build();
    }
}
