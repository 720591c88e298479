using System.Text.Json;
using Holdfast.Consumer;

namespace Holdfast.Worker.Management;

/// <summary>Answers an orchestrator's questions about this worker.</summary>
internal static class HealthEndpoints
{
    public static void MapHealth(this IEndpointRouteBuilder endpoints)
    {
        endpoints.MapVerdict("/health/startup", HealthRules.Startup);
        endpoints.MapVerdict("/health/live", HealthRules.Live);
        endpoints.MapVerdict("/health/ready", HealthRules.Ready);
    }

    private static void MapVerdict(this IEndpointRouteBuilder endpoints, string path, Func<EngineStatus, HealthVerdict> judge)
    {
        var engine = endpoints.ServiceProvider.GetRequiredService<IEngine>();
        endpoints.MapLook(path, context =>
        {
            var verdict = judge(engine.Status);
            context.Response.StatusCode = verdict.Healthy ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
            context.Response.Headers.CacheControl = "no-store";
            return context.Response.WriteAsJsonAsync(verdict, JsonSerializerOptions.Web, context.RequestAborted);
        });
    }
}
