using Holdfast.Worker.Management;
using Holdfast.Worker.Prometheus;
using OpenTelemetry.Metrics;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Puts the exporter's page into a host, under the name and in the namespace of the official one, which may stand in its place.</summary>
internal static class PrometheusEndpoint
{
    private const int PartSize = 32 * 1024;
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    public static IEndpointConventionBuilder MapPrometheusScrapingEndpoint(this IEndpointRouteBuilder endpoints, string path)
    {
        var services = endpoints.ServiceProvider;
        // Asked for so that it is there from the start: what is measured before is not seen.
        services.GetRequiredService<MeterProvider>();
        var exporter = services.GetRequiredService<PrometheusExporter>();
        var time = services.GetRequiredService<TimeProvider>();
        var last = services.GetService<LastScrape>();
        var cache = new ScrapeCache(exporter.Write, time, () => last?.Troubles ?? 0);
        _ = PrepareAsync(exporter, time);
        return endpoints.MapLook(path, async context =>
        {
            // Not as many as there are now: the text may be from a moment ago. Who has gone meanwhile has seen nothing, nor has who asked for the head alone.
            if (await AnswerAsync(context, cache) is { } troubles && !context.RequestAborted.IsCancellationRequested && HttpMethods.IsGet(context.Request.Method))
                last?.Served(troubles);
        });
    }

    private static async Task PrepareAsync(PrometheusExporter exporter, TimeProvider time)
    {
        for (var i = 0; i < PrometheusExporter.Preparations; i++)
        {
            await Task.Delay(s_pause, time);
            exporter.Prepare();
        }
    }

    // Gives how much trouble the text tells of; nothing where there is none to give.
    private static async Task<long?> AnswerAsync(HttpContext context, ScrapeCache cache)
    {
        var response = context.Response;
        var scrape = await cache.TakeAsync(Negotiation.Choose(context.Request.Headers.Accept));
        try
        {
            if (!await scrape.Done)
            {
                response.StatusCode = StatusCodes.Status500InternalServerError;
                return null;
            }

            response.ContentType = Negotiation.ContentType(scrape.Format);
            response.ContentLength = scrape.Text.Length;
            response.Headers.Vary = "Accept";
            await WriteAsync(response.Body, scrape.Text.Written, context.RequestAborted);
            return scrape.Troubles;
        }
        finally
        {
            scrape.Release();
        }
    }

    // The server keeps a copy of what it was given until it is taken, however long; but takes the next part only when little of the one before is left.
    private static async Task WriteAsync(Stream body, ReadOnlyMemory<byte> text, CancellationToken cancel)
    {
        for (; text.Length > PartSize; text = text[PartSize..])
            await body.WriteAsync(text[..PartSize], cancel);
        await body.WriteAsync(text, cancel);
    }
}
