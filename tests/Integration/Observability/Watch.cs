using System.Text.RegularExpressions;
using Holdfast.Tests.Servers.Alertmanager;
using Holdfast.Tests.Servers.Prometheus;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>A Prometheus with the rules as they are shipped, but in a hurry, and an Alertmanager with the routes as they are shipped, and whoever it tells.</summary>
internal sealed partial class Watch : IAsyncDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(500);

    // Five minutes are five scrapes, and an hour is half a minute.
    private const int Speedup = 120;

    private readonly AlertmanagerServer _alertmanager;
    private readonly string _folder;

    private Watch(OnCall onCall, AlertmanagerServer alertmanager, PrometheusServer prometheus, string folder)
    {
        OnCall = onCall;
        _alertmanager = alertmanager;
        Prometheus = prometheus;
        _folder = folder;
    }

    public static string? WhyMissing =>
        !PrometheusServer.IsInstalled ? PrometheusServer.HowToInstall
        : !AlertmanagerServer.IsInstalled ? AlertmanagerServer.HowToInstall
        : null;

    public PrometheusServer Prometheus { get; }

    public OnCall OnCall { get; }

    public static async Task<Watch> StartAsync()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-watch-").FullName;
        var rules = await GrafanaFiles.ShortenedRulesAsync(folder, Speedup);
        var onCall = await OnCall.StartAsync();
        var routes = GrafanaFiles.AlertmanagerConfig.Replace("http://localhost:9095/", onCall.Uri.AbsoluteUri, StringComparison.Ordinal);
        var alertmanager = await AlertmanagerServer.StartAsync(Pauses().Replace(routes, "${name}: 200ms"));
        return new Watch(onCall, alertmanager, await PrometheusServer.StartAsync(Interval, rules, alertmanager.Uri), folder);
    }

    /// <summary>Waits until a query has a value that is wanted.</summary>
    public Task SeesAsync(string what, string query, Func<double, bool>? wanted = null) => Eventually.HoldsAsync(what, async () =>
        (await Prometheus.Api.QueryAsync(query)).Any(wanted ?? (_ => true)));

    /// <summary>Waits until an alert fires of which nobody is told, because a graver one says the same.</summary>
    public Task KeepsBackAsync(string alert, string job)
    {
        (string Alert, bool IsKeptBack)[] firing = [];
        return Eventually.HoldsAsync(() => $"{alert} about {job} to be kept back, among {string.Join(", ", firing)}", async () =>
        {
            firing = await _alertmanager.FiringAsync(job);
            return firing.Contains((alert, true));
        });
    }

    public async ValueTask DisposeAsync()
    {
        await Prometheus.DisposeAsync();
        await _alertmanager.DisposeAsync();
        await OnCall.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [GeneratedRegex(@"(?<name>group_wait|group_interval): \w+")]
    private static partial Regex Pauses();
}
