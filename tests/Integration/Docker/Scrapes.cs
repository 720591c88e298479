using Holdfast.Tests.Servers.Prometheus;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>What the deployment's Prometheus has scraped.</summary>
internal sealed class Scrapes(string address) : IDisposable
{
    private readonly PrometheusApi _prometheus = new(new Uri($"http://{address}"));

    /// <summary>The last scrape of each process that it has seen, by the address that it had then and the moment at which it had started.</summary>
    public async Task<IReadOnlyList<Seen>> LastAsync()
    {
        var misses = await _prometheus.SamplesAsync("holdfast_lease_misses_total");
        var starts = (await _prometheus.SamplesAsync("process_start_time_seconds")).ToDictionary(sample => (sample.Instance, sample.At), sample => sample.Value);
        return
        [
            .. from scrape in misses.GroupBy(sample => (sample.Instance, sample.At))
               group (scrape.Key.At, Misses: scrape.Sum(sample => sample.Value)) by (scrape.Key.Instance, StartedAt: starts[scrape.Key]) into process
               let last = process.MaxBy(scrape => scrape.At)
               select new Seen(process.Key.Instance.Split(':')[0], Instant(process.Key.StartedAt), Instant(last.At), process.Count(), (long)last.Misses)
        ];
    }

    public void Dispose() => _prometheus.Dispose();

    private static DateTimeOffset Instant(double seconds) => DateTimeOffset.UnixEpoch.AddSeconds(seconds);
}

/// <summary>What Prometheus knows last of a process, and how often it has scraped it.</summary>
internal sealed record Seen(string Address, DateTimeOffset StartedAt, DateTimeOffset At, int Times, long Misses);
