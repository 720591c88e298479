using System.Diagnostics;
using System.Diagnostics.Metrics;
using Holdfast.Worker.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Holdfast.Worker.Otlp;

/// <summary>Sends traces and metrics to a collector for as long as the host runs. A collector that does not answer costs what it was sent, and nothing else.</summary>
internal sealed partial class OtlpExport(OtelSettings settings, ILogger<OtlpExport> log, TimeProvider time) : IHostedService, IDisposable
{
    private const int MostMillisecondsToSendTheRest = 2_000;

    private readonly ExportFailures _failures = new();
    private TracerProvider? _traces;
    private MeterProvider? _metrics;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (settings.WithoutEffect is { Count: > 0 } idle)
            LogWithoutEffect(log, string.Join(", ", idle));
        if (settings.Traces is { } traces)
        {
            var backlog = new SpanBacklog(settings.Pace.SpanQueue, log, time);
            _traces = Build(new WatchedTraceExporter(traces, backlog, log, time), backlog, settings);
        }

        if (settings.Metrics is { } metrics)
            _metrics = Build(new WatchedMetricExporter(metrics, log, time), settings);
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
        _failures.Dispose();
    }

    /// <summary>Sends traces as the settings say.</summary>
    public static TracerProvider Build(BaseExporter<Activity> exporter, SpanBacklog backlog, OtelSettings settings) =>
        Sdk.CreateTracerProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(settings.Configuration))
            .ConfigureResource(Identity.DescribeInstance)
            .AddSource(Identity.Telemetry)
            .SetSampler(settings.Sampling.Sampler())
            .AddProcessor(new SpanQueue(exporter, settings.Pace, backlog))
            .Build();

    /// <summary>Sends metrics as the settings say.</summary>
    public static MeterProvider Build(BaseExporter<Metric> exporter, OtelSettings settings)
    {
        var builder = Sdk.CreateMeterProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(settings.Configuration))
            .ConfigureResource(Identity.DescribeInstance)
            .AddMeter(Identity.Telemetry, Identity.Runtime)
            .SetExemplarFilter(ExemplarFilterType.TraceBased)
            .AddReader(new PeriodicExportingMetricReader(exporter, settings.Pace.MetricInterval, settings.Pace.MetricTimeout) { TemporalityPreference = settings.Shape.Temporality });
        if (settings.Shape.HasExponentialHistograms)
            builder.AddView(instrument => instrument is Histogram<double> ? new Base2ExponentialBucketHistogramConfiguration() : null);
        return builder.Build();
    }

    [LoggerMessage(LogLevel.Warning, "Set, and without effect here: {Variables}. Leave out what is not meant for this worker.")]
    private static partial void LogWithoutEffect(ILogger log, string variables);
}
