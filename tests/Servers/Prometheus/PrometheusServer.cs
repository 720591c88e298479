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

    private PrometheusServer() => Api = new PrometheusApi(_server.Uri);

    public PrometheusApi Api { get; }

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

    public async ValueTask DisposeAsync()
    {
        Api.Dispose();
        await _server.DisposeAsync();
    }

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
}
