using Holdfast.Worker.Hosting;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Adds what answers scrapes: the official exporter.</summary>
internal static class Scraping
{
    private const int CacheMilliseconds = 300;

    public static void AddScraping(this IServiceCollection services) =>
        services.AddOpenTelemetry().WithMetrics(meters => meters
            .ConfigureResource(Identity.Describe)
            .AddMeter(Identity.Telemetry, Identity.Runtime)
            .AddView(instrument => ScrapedMeters.Shown(instrument))
            .SetExemplarFilter(ExemplarFilterType.TraceBased)
            .AddPrometheusExporter(options => options.ScrapeResponseCacheDurationMilliseconds = CacheMilliseconds));
}
