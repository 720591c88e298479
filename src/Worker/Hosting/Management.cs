using Holdfast.Worker.Health;
using Holdfast.Worker.Status;

namespace Holdfast.Worker.Hosting;

/// <summary>All that the management port answers.</summary>
internal static class Management
{
    public static void MapManagement(this IEndpointRouteBuilder endpoints)
    {
        endpoints.MapStatusPage();
        endpoints.MapHealth();
        endpoints.MapPrometheusScrapingEndpoint("/metrics");
    }
}
