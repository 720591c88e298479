using Microsoft.AspNetCore.ResponseCompression;

namespace Holdfast.Worker.Management;

/// <summary>Packs the metrics for who takes them so, as Prometheus does: of a hundred queues they are megabytes, and a thirtieth of that packed.</summary>
internal static class Packing
{
    public static void AddPacking(this IServiceCollection services) => services.AddResponseCompression(packing =>
    {
        packing.Providers.Add<GzipCompressionProvider>();
        packing.MimeTypes = ["text/plain", "application/openmetrics-text"];
    });
}
