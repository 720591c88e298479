using System.Collections.Concurrent;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>Whoever is told: takes what Alertmanager's webhooks bring, and the traces that nobody else wants.</summary>
internal sealed class OnCall : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly ConcurrentDictionary<(string Receiver, string Alert, string Job), JsonElement> _told = new();

    private OnCall(WebApplication app) => _app = app;

    public Uri Uri => new(_app.Urls.Single());

    public static async Task<OnCall> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var started = new OnCall(builder.Build());
        started._app.MapPost("/v1/traces", () => Results.Ok());
        started._app.MapPost("/v1/metrics", () => Results.Ok());
        started._app.MapPost("/{receiver}", started.Take);
        await started._app.StartAsync();
        return started;
    }

    /// <summary>Whether an alert about a job has come to a receiver; its annotations where it has.</summary>
    public JsonElement? Told(string receiver, string alert, string job) => _told.TryGetValue((receiver, alert, job), out var annotations) ? annotations : null;

    public bool HeardOf(string alert, string job) => _told.Keys.Any(told => told.Alert == alert && told.Job == job);

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private void Take(string receiver, JsonElement notice)
    {
        foreach (var alert in notice.GetProperty("alerts").EnumerateArray())
        {
            var labels = alert.GetProperty("labels");
            var job = labels.TryGetProperty("job", out var named) ? named.GetString()! : "";
            _told[(receiver, labels.GetProperty("alertname").GetString()!, job)] = alert.GetProperty("annotations").Clone();
        }
    }
}
