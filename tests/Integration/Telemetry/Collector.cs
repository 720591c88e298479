using System.Collections.Concurrent;
using System.IO.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration.Telemetry;

/// <summary>A collector that takes OTLP over HTTP, and reads of it what a test asks for.</summary>
internal sealed class Collector : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentQueue<ProtoMessage> _traces = new();
    private readonly ConcurrentQueue<ProtoMessage> _metrics = new();
    private readonly ConcurrentQueue<IReadOnlyDictionary<string, string>> _headers = new();

    private Collector()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        _app = builder.Build();
        _app.MapPost("/v1/traces", (HttpContext context) => TakeAsync(context, _traces));
        _app.MapPost("/v1/metrics", (HttpContext context) => TakeAsync(context, _metrics));
    }

    public string Address => _app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();

    /// <summary>Resource spans, scope spans, spans.</summary>
    public IReadOnlyList<SentSpan> Spans =>
        [.. _traces.SelectMany(request => request.Inside(1, 2, 2)).Select(span => new SentSpan(span.Text(5), span.Hex(1), span.Hex(2), span.Hex(4)))];

    /// <summary>Resource metrics, scope metrics, metrics.</summary>
    public IReadOnlyList<string> MetricNames => [.. Metrics.Select(metric => metric.Text(1)).Distinct()];

    /// <summary>The metrics themselves.</summary>
    public IEnumerable<ProtoMessage> Metrics => _metrics.SelectMany(request => request.Inside(1, 2, 2));

    /// <summary>The headers of each request.</summary>
    public IReadOnlyCollection<IReadOnlyDictionary<string, string>> Headers => _headers;

    /// <summary>What the senders' resources are called, as attributes whose value is a text.</summary>
    public IReadOnlyList<string> Attributes(string name) =>
        [.. _traces.Concat(_metrics).SelectMany(request => request.Inside(1, 1, 1)).Where(attribute => attribute.Text(1) == name).Select(attribute => attribute.Inside(2).Single().Text(1)).Distinct()];

    public static async Task<Collector> StartAsync()
    {
        var collector = new Collector();
        await collector._app.StartAsync();
        return collector;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task TakeAsync(HttpContext context, ConcurrentQueue<ProtoMessage> into)
    {
        using var body = new MemoryStream();
        if (context.Request.Headers.ContentEncoding == "gzip")
            await new GZipStream(context.Request.Body, CompressionMode.Decompress).CopyToAsync(body);
        else
            await context.Request.Body.CopyToAsync(body);
        _headers.Enqueue(context.Request.Headers.ToDictionary(header => header.Key, header => $"{header.Value}", StringComparer.OrdinalIgnoreCase));
        into.Enqueue(new ProtoMessage(body.ToArray()));
        context.Response.ContentType = "application/x-protobuf";
    }
}

/// <summary>A span that a collector was sent.</summary>
internal sealed record SentSpan(string Name, string Trace, string Id, string Parent);
