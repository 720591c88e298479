using Holdfast.Worker.Status;

namespace Holdfast.Worker.Management;

/// <summary>All that the management port answers.</summary>
internal static class ManagementEndpoints
{
    private const string Metrics = "/metrics";

    public static void UseManagement(this IApplicationBuilder app)
    {
        // The end of what is packed is sent after the endpoint is done, so this needs patience of its own.
        var patience = app.ApplicationServices.GetRequiredService<Patience>();
        app.UseWhen(context => context.Request.Path.StartsWithSegments(Metrics), scrapes => scrapes.Use(patience.AnswerAsync).UseResponseCompression());
        app.UseRouting().UseEndpoints(endpoints =>
        {
            endpoints.MapStatusPage();
            endpoints.MapHealth();
            endpoints.MapPrometheusScrapingEndpoint(Metrics);
        });
    }
}
