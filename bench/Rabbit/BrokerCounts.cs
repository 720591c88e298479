using System.Diagnostics;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;

namespace Holdfast.Bench;

/// <summary>What the server counts: connections that ended, and messages that it handed out once more. About a second old.</summary>
internal sealed class BrokerCounts : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly HttpClient _http;

    public BrokerCounts()
    {
        var uri = new UriBuilder(RabbitTarget.ManagementUri);
        var login = $"{Uri.UnescapeDataString(uri.UserName)}:{Uri.UnescapeDataString(uri.Password)}";
        _http = new HttpClient { BaseAddress = new UriBuilder(uri.Scheme, uri.Host, uri.Port, "/api/").Uri };
        _http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(login)));
    }

    /// <summary>Connections that ended since the server started.</summary>
    public async Task<long> ConnectionsEndedAsync() => Count(await OverviewAsync(), "churn_rates", "connection_closed");

    /// <summary>
    /// Waits until the server has counted that so many connections are open. It says so itself: what began and what ended need not add up,
    /// for a connection that came to nothing ends without having begun.
    /// </summary>
    public async Task ReachAsync(int open)
    {
        var patience = Stopwatch.StartNew();
        while (Count(await OverviewAsync(), "object_totals", "connections") != open)
        {
            if (patience.Elapsed > s_patience)
                throw new TimeoutException("The server has connections that are not ours; give these benchmarks one to themselves.");
            await Task.Delay(s_pause);
        }
    }

    /// <summary>Messages of a queue that were handed out once more.</summary>
    public async Task<long> RedeliveriesAsync(string queue)
    {
        var vhost = Uri.EscapeDataString(RabbitTarget.Factory.VirtualHost);
        return Count(await _http.GetFromJsonAsync<JsonElement>($"queues/{vhost}/{queue}"), "message_stats", "redeliver");
    }

    public void Dispose() => _http.Dispose();

    private Task<JsonElement> OverviewAsync() => _http.GetFromJsonAsync<JsonElement>("overview");

    // What never happened is not mentioned.
    private static long Count(JsonElement answer, string group, string name) =>
        answer.TryGetProperty(group, out var counts) && counts.TryGetProperty(name, out var count) ? count.GetInt64() : 0;
}
