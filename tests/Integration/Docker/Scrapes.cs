using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>What the deployment's Prometheus has scraped, sample by sample: no rate, and nothing extrapolated.</summary>
internal sealed class Scrapes(string address) : IDisposable
{
    private readonly HttpClient _http = new() { BaseAddress = new Uri($"http://{address}/api/v1/") };

    /// <summary>The last scrape of each process that it has seen, by the address that it had then and the moment at which it had started.</summary>
    public async Task<IReadOnlyList<Seen>> LastAsync()
    {
        var misses = await SamplesAsync("holdfast_lease_misses_total");
        var starts = (await SamplesAsync("process_start_time_seconds")).ToDictionary(sample => (sample.Instance, sample.At), sample => sample.Value);
        return
        [
            .. from scrape in misses.GroupBy(sample => (sample.Instance, sample.At))
               group (scrape.Key.At, Misses: scrape.Sum(sample => sample.Value)) by (scrape.Key.Instance, StartedAt: starts[scrape.Key]) into process
               let last = process.MaxBy(scrape => scrape.At)
               select new Seen(process.Key.Instance.Split(':')[0], Instant(process.Key.StartedAt), Instant(last.At), process.Count(), (long)last.Misses)
        ];
    }

    public void Dispose() => _http.Dispose();

    private static DateTimeOffset Instant(double seconds) => DateTimeOffset.UnixEpoch.AddSeconds(seconds);

    private async Task<IReadOnlyList<(string Instance, double At, double Value)>> SamplesAsync(string series)
    {
        var answer = await _http.GetFromJsonAsync<JsonElement>($"query?query={Uri.EscapeDataString($"{series}[1h]")}");
        return
        [
            .. from one in answer.GetProperty("data").GetProperty("result").EnumerateArray()
               let instance = one.GetProperty("metric").GetProperty("instance").GetString()!
               from sample in one.GetProperty("values").EnumerateArray()
               select (instance, sample[0].GetDouble(), double.Parse(sample[1].GetString()!, CultureInfo.InvariantCulture))
        ];
    }
}

/// <summary>What Prometheus knows last of a process, and how often it has scraped it.</summary>
internal sealed record Seen(string Address, DateTimeOffset StartedAt, DateTimeOffset At, int Times, long Misses);
