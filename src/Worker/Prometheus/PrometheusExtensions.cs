using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Puts the exporter into a meter provider.</summary>
internal static class PrometheusExtensions
{
    public static MeterProviderBuilder AddPrometheusExporter(this MeterProviderBuilder builder, PrometheusExporter exporter) =>
        builder.AddReader(new BaseExportingMetricReader(exporter));
}
