using Holdfast.Worker.Health;
using Holdfast.Worker.Status;

namespace Holdfast.Worker.Management;

/// <summary>All that the management port answers.</summary>
internal static class ManagementEndpoints
{
    public static void MapManagement(this IEndpointRouteBuilder endpoints)
    {
        endpoints.MapStatusPage();
        endpoints.MapHealth();
        endpoints.MapPrometheusScrapingEndpoint("/metrics");
    }
}
