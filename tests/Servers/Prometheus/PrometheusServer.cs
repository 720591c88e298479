using System.Text.Json;

namespace Holdfast.Tests.Servers.Prometheus;

/// <summary>A private Prometheus: loopback only, with a port and a folder of its own. It never outlives the process that made it.</summary>
public sealed class PrometheusServer : IAsyncDisposable
{
    /// <summary>The sentence for those who do not have it.</summary>
    public const string HowToInstall = "There is no Prometheus on this machine; bash .ci/install brings it.";

    private const string Program = "prometheus";
    private const string TargetFile = "targets.json";

    private readonly WebServer _server = new(Program);
    private readonly List<PrometheusTarget> _targets = [];

    public static bool IsInstalled => Programs.IsInstalled(Program);

    /// <summary>Starts it with rule files, and an Alertmanager to tell; it scrapes what is added later, each time that the interval is over.</summary>
    public static async Task<PrometheusServer> StartAsync(TimeSpan interval, IEnumerable<string> ruleFiles, Uri alertmanager)
    {
        var started = new PrometheusServer();
        await started.RunAsync(interval, ruleFiles, alertmanager);
        return started;
    }

    /// <summary>From now on this is scraped too.</summary>
    public void Scrape(PrometheusTarget target)
    {
        lock (_targets)
        {
            _targets.Add(target);
            var groups = _targets.Select(one => new { targets = new[] { one.Address }, labels = new { job = one.Job, __metrics_path__ = one.Path } });

            // Moved into place, for Prometheus reads it whenever it changes.
            File.Move(_server.Write("targets.new", JsonSerializer.Serialize(groups)), Path.Combine(_server.Folder, TargetFile), overwrite: true);
        }
    }

    /// <summary>What a query gives now: the values of its series.</summary>
    public async Task<IReadOnlyList<double>> QueryAsync(string query)
    {
        var data = await DataAsync($"query?query={Uri.EscapeDataString(query)}");
        return [.. data.GetProperty("result").EnumerateArray().Select(series => ValueOf(series.GetProperty("value")))];
    }

    /// <summary>The values that a label has in the series that match.</summary>
    public async Task<IReadOnlyList<string>> LabelValuesAsync(string label, string match)
    {
        var data = await DataAsync($"label/{label}/values?match[]={Uri.EscapeDataString(match)}");
        return [.. data.EnumerateArray().Select(value => value.GetString()!)];
    }

    /// <summary>How many exemplars there are of a series by now.</summary>
    public async Task<int> ExemplarsAsync(string series)
    {
        var (from, to) = (DateTimeOffset.UtcNow.AddHours(-1).ToUnixTimeSeconds(), DateTimeOffset.UtcNow.AddHours(1).ToUnixTimeSeconds());
        var data = await DataAsync($"query_exemplars?query={Uri.EscapeDataString(series)}&start={from}&end={to}");
        return data.EnumerateArray().Sum(found => found.GetProperty("exemplars").GetArrayLength());
    }

    /// <summary>What is wrong with rules and targets, one line for each.</summary>
    public async Task<IReadOnlyList<string>> ComplaintsAsync()
    {
        var rules = (await DataAsync("rules")).GetProperty("groups").EnumerateArray()
            .SelectMany(group => group.GetProperty("rules").EnumerateArray())
            .Where(rule => rule.GetProperty("health").GetString() == "err")
            .Select(rule => $"{rule.GetProperty("name")}: {rule.GetProperty("lastError")}");
        var targets = (await DataAsync("targets?state=active")).GetProperty("activeTargets").EnumerateArray()
            .Where(target => target.GetProperty("health").GetString() == "down")
            .Select(target => $"{target.GetProperty("scrapeUrl")}: {target.GetProperty("lastError")}");
        return [.. rules, .. targets];
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static double ValueOf(JsonElement sample) =>
        double.Parse(sample[1].GetString()!.Replace("Inf", "Infinity", StringComparison.Ordinal), System.Globalization.CultureInfo.InvariantCulture);

    private async Task RunAsync(TimeSpan interval, IEnumerable<string> ruleFiles, Uri alertmanager)
    {
        var config = _server.Write("prometheus.yml", $$"""
            global:
              scrape_interval: {{interval.TotalMilliseconds}}ms
              scrape_timeout: {{interval.TotalMilliseconds}}ms
              evaluation_interval: {{interval.TotalMilliseconds}}ms
            rule_files: {{JsonSerializer.Serialize(ruleFiles)}}
            alerting:
              alertmanagers:
                - static_configs: [{ targets: ['{{alertmanager.Authority}}'] }]
            scrape_configs:
              - job_name: test
                file_sd_configs: [{ files: [{{TargetFile}}] }]
            """);
        await _server.StartAsync(
            "-/ready",
            $"--config.file={config}",
            $"--storage.tsdb.path={Path.Combine(_server.Folder, "data")}",
            $"--web.listen-address={_server.Uri.Authority}",
            "--enable-feature=exemplar-storage",
            // Prometheus finds Alertmanager only after some seconds, and says no alert again before a minute is over.
            "--rules.alert.resend-delay=1s",
            "--log.level=warn");
    }

    private async Task<JsonElement> DataAsync(string path) => (await _server.GetAsync($"api/v1/{path}")).GetProperty("data");
}
