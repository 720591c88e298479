using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The connections that .NET has to one endpoint, by its own metrics.</summary>
internal sealed class OpenConnections : IDisposable
{
    private readonly ConcurrentDictionary<string, long> _byState = new();
    private readonly MeterListener _listener = new();

    public OpenConnections(string url)
    {
        var port = new Uri(url).Port;
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument is { Meter.Name: "System.Net.Http", Name: "http.client.open_connections" })
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((_, change, tags, _) =>
        {
            if (Of(tags, "server.port") is int server && server == port)
                _byState.AddOrUpdate($"{Of(tags, "http.connection.state")}", change, (_, count) => count + change);
        });
        _listener.Start();
    }

    public long Idle => _byState.GetValueOrDefault("idle");

    public void Dispose() => _listener.Dispose();

    private static object? Of(ReadOnlySpan<KeyValuePair<string, object?>> tags, string key)
    {
        foreach (var tag in tags)
        {
            if (tag.Key == key)
                return tag.Value;
        }

        return null;
    }
}
