using Holdfast.Worker.Otlp;

namespace Holdfast.Worker.Prometheus;

/// <summary>Adds what answers scrapes: our own exporter.</summary>
internal static class Scraping
{
    public static void AddScraping(this IServiceCollection services)
    {
        services.AddSingleton<PrometheusExporter>();
        services.AddSingleton(provider => ScrapedMeters.Build(provider.GetRequiredService<PrometheusExporter>(), provider.GetRequiredService<OtelSettings>().Configuration));
    }
}
