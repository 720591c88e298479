using System.Diagnostics.Metrics;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Otlp;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>The meters whose instruments are there to be scraped.</summary>
internal static class ScrapedMeters
{
    private const int MostSeries = 2_000;

    /// <summary>Those that our own exporter shows. The engine's distributions are not among them: it reads them as they are.</summary>
    /// <param name="exporter">Who shows them.</param>
    /// <param name="configuration">What says who they are of.</param>
    /// <param name="mostSeries">How many series one instrument may have; what is beyond them is told as one.</param>
    public static MeterProvider Build(PrometheusExporter exporter, IConfiguration configuration, int mostSeries = MostSeries) =>
        Sdk.CreateMeterProviderBuilder()
            .ConfigureServices(services => services.AddSingleton(Enabled(configuration)))
            .ConfigureResource(Identity.Describe)
            .AddMeter(Identity.Telemetry, Identity.Runtime)
            .AddView(instrument => instrument is Histogram<double> { Meter.Name: Identity.Telemetry } ? MetricStreamConfiguration.Drop : Shown(instrument, mostSeries))
            .SetExemplarFilter(ExemplarFilterType.TraceBased)
            .AddPrometheusExporter(exporter)
            .Build();

    /// <summary>How an instrument is shown. A gauge whose name ends in _count looks like a part of a histogram, which Prometheus's own checks object to.</summary>
    public static MetricStreamConfiguration Shown(Instrument instrument, int mostSeries = MostSeries) => instrument switch
    {
        { Name: "dotnet.assembly.count" } => new() { Name = "dotnet.assemblies" },
        { Name: "dotnet.timer.count" } => new() { Name = "dotnet.timers" },
        { Name: "dotnet.process.cpu.count" } => new() { Name = "dotnet.process.cpus" },
        _ => new() { CardinalityLimit = mostSeries },
    };

    // Who forbids OpenTelemetry to send anything would have the SDK measure nothing either.
    private static IConfiguration Enabled(IConfiguration configuration) =>
        new ConfigurationBuilder().AddConfiguration(configuration).AddInMemoryCollection([new(OtelSettings.Disabled, "false")]).Build();
}
