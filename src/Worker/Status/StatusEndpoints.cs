using System.Text.Json;
using System.Text.Json.Serialization;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Status;

/// <summary>Serves the status page, and the figures that it asks for each second.</summary>
internal static class StatusEndpoints
{
    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new SecondsConverter(), new JsonStringEnumConverter() },
    };

    public static void MapStatusPage(this IEndpointRouteBuilder endpoints)
    {
        var services = endpoints.ServiceProvider;
        var (engine, worker, time) = (services.GetRequiredService<IEngine>(), services.GetRequiredService<WorkerOptions>(), services.GetRequiredService<TimeProvider>());
        var page = ReadPage();
        endpoints.MapGet("/", context =>
        {
            context.Response.ContentType = "text/html; charset=utf-8";
            context.Response.Headers.ContentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:";
            return context.Response.Body.WriteAsync(page, context.RequestAborted).AsTask();
        });
        endpoints.MapGet("/status", context =>
        {
            var at = time.GetElapsedTime(0).TotalMilliseconds;
            var report = new StatusReport(Product.Version, worker.Broker, worker.Handler, at, engine.Status);
            context.Response.Headers.CacheControl = "no-store";
            return context.Response.WriteAsJsonAsync(report, s_json, context.RequestAborted);
        });
    }

    private static byte[] ReadPage()
    {
        using var resource = typeof(StatusEndpoints).Assembly.GetManifestResourceStream("status.html")!;
        using var copy = new MemoryStream();
        resource.CopyTo(copy);
        return copy.ToArray();
    }
}
