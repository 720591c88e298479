using System.Diagnostics;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>Debian's Prometheus and Alertmanager, with what grafana/ ships, on real workers in trouble.</summary>
[Collection(nameof(Alone))]
public sealed class WatchingTests : IClassFixture<Scene>
{
    private readonly Scene _scene;

    public WatchingTests(Scene scene)
    {
        scene.IsNeeded();
        _scene = scene;
    }

    private Watch Watch => _scene.Watch;

    [Theory]
    [InlineData("leases")]
    [InlineData("flow")]
    public async Task Every_query_of_a_dashboard_finds_data(string dashboard)
    {
        var variables = await GrafanaVariables.ChooseAllAsync(Watch.Prometheus.Api, dashboard, Watch.Interval);
        await AllFindDataAsync(GrafanaFiles.Queries(dashboard).Select(variables.Into));
    }

    [Fact]
    public Task Every_rule_records_something() => AllFindDataAsync(GrafanaFiles.Recorded());

    [Theory]
    [InlineData("page", "HoldfastLeaseMissesFast", "refused", "lease-misses")]
    [InlineData("page", "HoldfastLeaseMarginThin", "slow", "lease-margin")]
    [InlineData("page", "HoldfastBrokerDisconnected", "cut", "broker-disconnected")]
    [InlineData("page", "HoldfastQueueUnserved", "drained", "queue-unserved")]
    [InlineData("page", "HoldfastAbsent", "", "worker-absent")]
    [InlineData("ticket", "HoldfastSlotsSaturated", "full", "slots-saturated")]
    [InlineData("ticket", "HoldfastThreadsBlocked", "blocked", "threads-blocked")]
    [InlineData("ticket", "HoldfastDeadLettersGrowing", "rabbit", "dead-letters")]
    [InlineData("ticket", "HoldfastDrainTimedOut", "drained", "drain-timed-out")]
    [InlineData("ticket", "HoldfastWorkerDown", "drained", "worker-absent")]
    public async Task An_alert_fires_and_reaches_whom_it_is_for_with_its_runbook(string receiver, string alert, string trouble, string runbook)
    {
        var job = trouble.Length > 0 ? $"holdfast-{trouble}" : "";
        await Eventually.HoldsAsync($"{alert} about '{job}' to be told", () => Watch.OnCall.Told(receiver, alert, job) is not null);
        Assert.Equal($"docs/runbooks/{runbook}.md", Watch.OnCall.Told(receiver, alert, job)!.Value.GetProperty("runbook").GetString());
    }

    // Whether it lasts until somebody is told depends on how often a process that stands still half of the time is scraped; promtool proves that.
    [Fact]
    public Task Renewals_that_are_sent_late_raise_their_alert() =>
        Watch.SeesAsync("the alert", """ALERTS{alertname="HoldfastRenewalsLate", job="holdfast-stuttering"}""");

    [Theory]
    [InlineData("HoldfastLeaseMissesSlow", "refused")]
    [InlineData("HoldfastLeaseMarginShrinking", "slow")]
    public Task What_a_graver_alert_says_already_fires_and_is_kept_back(string alert, string trouble) => Watch.KeepsBackAsync(alert, $"holdfast-{trouble}");

    [Fact]
    public async Task Workers_that_are_well_alert_nobody_about_leases()
    {
        await Eventually.HoldsAsync("the misses of another one to be told", () => Watch.OnCall.HeardOf("HoldfastLeaseMissesFast", "holdfast-refused"));
        Assert.False(Watch.OnCall.HeardOf("HoldfastLeaseMissesFast", "holdfast-full"));
        Assert.Equal([0], (await Watch.Prometheus.Api.QueryAsync("""sum(holdfast_lease_misses_total{job="holdfast-full"})""")).Distinct());
    }

    [Fact]
    public async Task Slow_buckets_lead_to_traces() =>
        await Eventually.HoldsAsync("exemplars", async () => await Watch.Prometheus.Api.ExemplarsAsync("""holdfast_handler_duration_seconds_bucket""") > 0);

    [Fact]
    public async Task What_workers_show_is_clean_to_Prometheus_own_check()
    {
        using var http = new HttpClient();
        foreach (var page in _scene.Pages)
            Assert.Equal((0, ""), await CheckMetricsAsync(await http.GetStringAsync(new Uri(page, "metrics"))));
    }

    private static async Task<(int Code, string Complaints)> CheckMetricsAsync(string metrics)
    {
        using var promtool = Process.Start(new ProcessStartInfo("promtool", ["check", "metrics"]) { RedirectStandardInput = true, RedirectStandardError = true })!;
        await promtool.StandardInput.WriteAsync(metrics);
        promtool.StandardInput.Close();
        var complaints = await promtool.StandardError.ReadToEndAsync();
        await promtool.WaitForExitAsync();
        return (promtool.ExitCode, complaints);
    }

    // Not all at one moment: some are about what happens now and then.
    private async Task AllFindDataAsync(IEnumerable<string> queries)
    {
        var waiting = queries.ToHashSet();
        Assert.NotEmpty(waiting);
        await Eventually.HoldsAsync(() => $"data, asking:\n{string.Join('\n', waiting)}", async () =>
        {
            foreach (var query in waiting.ToArray())
            {
                var values = await Watch.Prometheus.Api.QueryAsync(query);
                Assert.DoesNotContain(values, double.IsNaN);
                if (values.Count > 0)
                    waiting.Remove(query);
            }

            return waiting.Count == 0;
        });
        Assert.DoesNotContain(await Watch.Prometheus.Api.ComplaintsAsync(), complaint => complaint.StartsWith("holdfast", StringComparison.OrdinalIgnoreCase));
    }
}
