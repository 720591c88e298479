using System.Text.Json;
using System.Text.RegularExpressions;

namespace Holdfast.Tests.Integration.Telemetry;

/// <summary>The worker's own process, and a collector that is there or not.</summary>
public sealed class OtlpTests
{
    private static readonly (string, string)[] s_often =
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "100"),
        ("Worker__Demo__Produce", "50"),
        ("Worker__Demo__Turns", "1"),
        ("Worker__Demo__CpuMilliseconds", "0"),
        ("Worker__Demo__IoMilliseconds", "1"),
    ];

    [Fact]
    public async Task Traces_and_metrics_come_to_the_collector_under_the_name_that_was_given()
    {
        await using var collector = await Collector.StartAsync();
        using var worker = WorkerProcess.Start([.. s_often, ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address), ("OTEL_SERVICE_NAME", "shop"), ("OTEL_RESOURCE_ATTRIBUTES", "team=orders")]);
        await worker.StatusPageAsync();

        await Eventually.HoldsAsync("a whole trace", () => Whole(collector.Spans));
        await Eventually.HoldsAsync("metrics", () => collector.MetricNames.Contains("holdfast.lease.misses") && collector.MetricNames.Contains("messaging.process.duration"));
        Assert.Equal(("shop", "orders"), (Assert.Single(collector.Attributes("service.name")), Assert.Single(collector.Attributes("team"))));
        Assert.Single(collector.Attributes("service.instance.id"));
        await worker.TerminateAsync();
        Assert.Equal(0, (await worker.EndAsync()).Code);
    }

    [Fact]
    public async Task What_is_sent_is_as_it_was_asked_for()
    {
        await using var collector = await Collector.StartAsync();
        using var worker = WorkerProcess.Start([
            .. s_often,
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b,,x-more=%25"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta"),
            ("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "base2_exponential_bucket_histogram")]);

        // In a metric's message an exponential histogram is the tenth field, and the second in that what its counts are counted from: 1 stands for delta.
        await Eventually.HoldsAsync("an exponential histogram of what came since the last one", () =>
            collector.Metrics.Any(metric => metric.Text(1) == "holdfast.handler.duration" && metric.Inside(10).Any(histogram => histogram.Hex(2) == "01")));
        await Eventually.HoldsAsync("spans", () => collector.Spans.Count > 0);
        Assert.All(collector.Headers, headers => Assert.Equal(("a b", "%", "gzip"), (headers["x-team"], headers["x-more"], headers["Content-Encoding"])));
    }

    [Fact]
    public async Task Where_nothing_may_be_sent_everything_is_still_there_to_be_scraped()
    {
        await using var collector = await Collector.StartAsync();
        using var worker = WorkerProcess.Start([.. s_often, ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address), ("OTEL_SDK_DISABLED", "true"), ("OTEL_SERVICE_NAME", "shop")]);
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };

        await Eventually.HoldsAsync("messages to be counted", async () =>
            Regex.IsMatch(await page.GetStringAsync("metrics"), """^holdfast_messages_settled_total\{.*outcome="complete".*\} [1-9]""", RegexOptions.Multiline));
        var metrics = await page.GetStringAsync("metrics");
        Assert.Contains("holdfast_lease_misses_total{", metrics, StringComparison.Ordinal);
        Assert.Contains("service_name=\"shop\"", metrics, StringComparison.Ordinal);
        Assert.Empty(collector.Spans);
        Assert.Empty(collector.MetricNames);
    }

    [Fact]
    public async Task A_slow_duration_leads_to_its_trace()
    {
        await using var collector = await Collector.StartAsync();
        using var worker = WorkerProcess.Start([.. s_often, ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address)]);
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };
        page.DefaultRequestHeaders.Add("Accept", "application/openmetrics-text;version=1.0.0");
        var example = "";

        foreach (var name in new[] { "holdfast_message_latency_seconds", "holdfast_handler_duration_seconds", "messaging_process_duration_seconds" })
        {
            await Eventually.HoldsAsync($"an example of {name}", async () =>
                (example = Regex.Match(await page.GetStringAsync("metrics"), $$"""^{{name}}_bucket.* # \{trace_id="(\w{32})",span_id="(\w{16})"\}""", RegexOptions.Multiline).Groups[1].Value).Length > 0);
            await Eventually.HoldsAsync("the collector to have its trace", () => collector.Spans.Any(span => span.Trace == example && span.Name == "process orders"));
        }
    }

    [Fact]
    public async Task A_collector_that_is_gone_neither_holds_up_the_worker_nor_fills_its_log()
    {
        using var closed = new ClosedPort();
        using var worker = WorkerProcess.Start([.. s_often, ("OTEL_EXPORTER_OTLP_ENDPOINT", $"http://user:s3cret@127.0.0.1:{closed.Number}"), ("Worker__Logs", "Json")]);
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };

        await Eventually.HoldsAsync("messages to be handled", async () =>
            Regex.Match(await page.GetStringAsync("metrics"), """^holdfast_messages_settled_total\{.*outcome="complete".*\} (\d+)$""", RegexOptions.Multiline) is { Success: true } settled
            && int.Parse(settled.Groups[1].Value, null) > 100);
        await worker.TerminateAsync();
        var (code, output, error) = await worker.EndAsync();

        Assert.Equal((0, ""), (code, error));
        var lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement).ToArray();

        // The engine and the web server have warnings of their own on a busy machine.
        var unsent = lines.Where(line => line.GetProperty("level").GetString() == "warning" && line.TryGetProperty("what", out _));
        Assert.Equal(["Metrics", "Traces"], unsent.Select(line => line.GetProperty("what").GetString()!).Order());
        Assert.DoesNotContain("s3cret", output);
    }

    private static bool Whole(IReadOnlyList<SentSpan> spans) =>
        spans.Any(publish => publish is { Name: "publish orders", Parent: "" }
            && spans.Any(process => process.Name == "process orders" && process.Trace == publish.Trace && process.Parent == publish.Id
                && spans.Any(settle => settle.Name == "settle orders" && settle.Trace == publish.Trace && settle.Parent == process.Id)));
}
