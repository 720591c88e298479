using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Status;

/// <summary>The status page, its events, and the same for scripts; or a line that says that it is off.</summary>
internal static class StatusEndpoints
{
    public static void AddStatusPage(this IServiceCollection services, WorkerSettings settings)
    {
        if (!settings.Worker.StatusPage)
            return;

        services.AddSingleton(provider => new WorkerFacts(
            Product.Version, Environment.MachineName, settings.Broker, settings.Handlers, provider.GetRequiredService<TimeProvider>().GetUtcNow(), EffectiveSettings.Of(settings), PageFiles.Edition));
        services.AddSingleton<StatusFeed>();
        services.AddHostedService(provider => provider.GetRequiredService<StatusFeed>());
    }

    public static void MapStatusPage(this IEndpointRouteBuilder endpoints)
    {
        if (endpoints.ServiceProvider.GetService<StatusFeed>() is not { } feed)
        {
            // Of a page that is open still, too: it asks why there are no events any more.
            foreach (var path in (string[])["/", "/status", "/status/events"])
                endpoints.MapLook(path, TellItIsOffAsync);
            return;
        }

        var facts = endpoints.ServiceProvider.GetRequiredService<WorkerFacts>();
        endpoints.MapPageFiles();
        var (patience, time) = (endpoints.ServiceProvider.GetRequiredService<Patience>(), endpoints.ServiceProvider.GetRequiredService<TimeProvider>());
        endpoints.MapGet("/status/events", context => ViewerStream.SendAsync(context, feed, patience, time));
        endpoints.MapLook("/status", context =>
        {
            context.Response.Headers.CacheControl = "no-store";
            return context.Response.WriteAsJsonAsync(Report(facts, feed.Look()), FrameText.Json, context.RequestAborted);
        });
    }

    private static StatusReport Report(WorkerFacts facts, Picture picture) => new(
        facts.Version,
        facts.Host,
        facts.Broker,
        facts.Handler,
        picture.Leases.At.TotalMilliseconds,
        Bounded.Texts(picture.Status),
        new(picture.Leases.InHand, picture.Leases.InDanger, picture.Leases.Lost, picture.Leases.LeastTrust, Bounded.Texts(picture.Leases.Leases)),
        Bounded.Texts(picture.Misses));

    private static Task TellItIsOffAsync(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync("The status page is off (Worker__StatusPage=false). There are /metrics and /health/ready.\n", context.RequestAborted);
    }
}
