namespace Holdfast.Tests.Servers.Alertmanager;

/// <summary>A private Alertmanager: loopback only, with a port and a folder of its own. It never outlives the process that made it.</summary>
public sealed class AlertmanagerServer : IAsyncDisposable
{
    /// <summary>The sentence for those who do not have it.</summary>
    public const string HowToInstall = "There is no Alertmanager on this machine; bash .ci/install brings it.";

    private const string Program = "prometheus-alertmanager";

    private readonly WebServer _server = new(Program);

    public static bool IsInstalled => Programs.IsInstalled(Program);

    public Uri Uri => _server.Uri;

    public static async Task<AlertmanagerServer> StartAsync(string config)
    {
        var started = new AlertmanagerServer();
        await started._server.StartAsync(
            "-/ready",
            $"--config.file={started._server.Write("alertmanager.yml", config)}",
            $"--storage.path={Path.Combine(started._server.Folder, "data")}",
            $"--web.listen-address={started._server.Uri.Authority}",
            "--cluster.listen-address=",
            "--log.level=warn");
        return started;
    }

    /// <summary>What fires about a job right now, and whether it is kept back because another one says the same.</summary>
    public async Task<(string Alert, bool IsKeptBack)[]> FiringAsync(string job)
    {
        var alerts = await _server.GetAsync($"api/v2/alerts?filter={Uri.EscapeDataString($"job=\"{job}\"")}");
        return
        [
            .. alerts.EnumerateArray().Select(one => (
                one.GetProperty("labels").GetProperty("alertname").GetString()!,
                one.GetProperty("status").GetProperty("inhibitedBy").GetArrayLength() > 0)),
        ];
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
