using System.Text;
using System.Text.RegularExpressions;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker.Prometheus;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Prometheus;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry.Metrics;

namespace Holdfast.Tests.Unit.Worker.Telemetry;

/// <summary>What a worker shows before it has done anything, and what it can't be made to show.</summary>
[Collection(nameof(Alone))]
public sealed class SeriesTests : IDisposable
{
    // What tests before this one left in the meter of the same name is told apart by it.
    private const string Queue = "series-tests";

    private readonly IHost _host;

    public SeriesTests()
    {
        var settings = WorkerSettings.Read(new ConfigurationBuilder()
            .AddInMemoryCollection([new("Worker:Queue", Queue), new("Worker:Demo:Produce", "0"), new("Worker:Demo:Turns", "1"), new("Worker:Demo:IoMilliseconds", "0")])
            .Build());
        _host = new HostBuilder().ConfigureServices(services => services.AddWorker(settings)).Build();
        _host.Services.GetRequiredService<MeterProvider>();
        _ = _host.Services.GetRequiredService<IEngine>().Status;
    }

    public void Dispose() => _host.Dispose();

    [Fact]
    public void Every_series_of_the_engine_is_at_zero_from_the_start()
    {
        string[] expected =
        [
            .. Each("holdfast_lease_misses_total", "expired", "rejected", "connection", "deadline", "drain"),
            .. Each("holdfast_lease_renewals_total", "unknown", "renewed", "lost", "severed"),
            .. Each("holdfast_messages_settled_total", "complete", "abandon", "delay", "dead_letter"),
            .. Each("holdfast_messages_waiting", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "higher"),
            .. Each("holdfast_admission_holding", "leases", "pool", "bytes", "breaker", "rate", "threads", "order"),
            .. Each("messaging_client_operation_duration_seconds_count", "receive", "settle", "renew_message_lock"),
            .. One(
                "holdfast_lease_margin_seconds_count", "holdfast_lease_lateness_seconds_count", "holdfast_leases_held", "holdfast_lease_lock_seconds",
                "holdfast_slots_used", "holdfast_messages_received_total", "holdfast_message_latency_seconds_count", "holdfast_handler_duration_seconds_count",
                "holdfast_handler_retries_total", "holdfast_broker_connected", "messaging_process_duration_seconds_count", "messaging_client_consumed_messages_total"),
        ];

        var zeros = Series().Where(series => series.Value == "0").Select(series => series.Key).ToHashSet();

        Assert.All(expected, series => Assert.Contains(series, zeros));
    }

    [Theory]
    [InlineData("holdfast_lane_wait_seconds_count")]
    [InlineData("holdfast_lane_turn_seconds_count")]
    [InlineData("holdfast_lane_queued")]
    [InlineData("holdfast_turns_long_total")]
    public void Each_lane_has_its_series(string name) =>
        Assert.Equal(["lease", "process", "receive"], Regex.Matches(Scrape(), $$"""^{{name}}\{.*?lane="(\w+)".*?\} """, RegexOptions.Multiline).Select(m => m.Groups[1].Value).Order());

    [Theory]
    [InlineData("holdfast_threads_blocked")]
    [InlineData("holdfast_cpu_throttled_seconds_total")]
    [InlineData("holdfast_drain_timeouts_total")]
    [InlineData("process_start_time_seconds")]
    public void What_is_the_process_own_is_there_once(string name) => Assert.Single(Regex.Matches(Scrape(), $$"""^{{name}}\{""", RegexOptions.Multiline));

    [Fact]
    public void Each_name_is_told_once_and_the_whole_is_well_formed_in_both_formats()
    {
        foreach (var format in Enum.GetValues<ExpositionFormat>())
        {
            var text = Scrape(format);
            ExpositionCheck.Passes(text, format == ExpositionFormat.OpenMetrics);
            var names = Regex.Matches(text, """^# TYPE (\S+)""", RegexOptions.Multiline).Select(m => m.Groups[1].Value).ToArray();
            Assert.Equal(names.Distinct(), names);
        }
    }

    [Fact]
    public async Task What_a_sender_writes_never_becomes_a_label()
    {
        const string Hostile = "x\"} 1\nholdfast_lease_misses_total 99\n# \u001b[31m";
        await _host.StartAsync();
        var broker = _host.Services.GetRequiredService<IBroker>();
        await using var sender = await broker.OpenSenderAsync(Queue, default);
        await sender.SendAsync(
            new Message { Id = Hostile, CorrelationId = Hostile, ContentType = Hostile, Properties = new Dictionary<string, object?> { [Hostile] = Hostile, ["traceparent"] = Hostile } },
            TimeSpan.Zero,
            default);
        var before = Series().Count;
        await _host.StopAsync();

        var text = Scrape();
        ExpositionCheck.Passes(text, isOpen: false);
        Assert.DoesNotContain("99", Regex.Matches(text, """^holdfast_lease_misses_total.*$""", RegexOptions.Multiline).Select(m => m.Value.Split(' ')[^1]));
        Assert.DoesNotContain("[31m", text);
        Assert.Equal(before, Series().Count);
    }

    private static IEnumerable<string> Each(string name, params string[] values) => values.Select(value => $"{name} {value}");

    private static IEnumerable<string> One(params string[] names) => names.Select(name => $"{name} ");

    // By name, and by what tells it from the others of that name.
    private Dictionary<string, string> Series() =>
        Regex.Matches(Scrape(), $$"""^(\w+)\{([^}]*"{{Queue}}"[^}]*)\} (\S+)$""", RegexOptions.Multiline)
            .Where(m => !m.Groups[2].Value.Contains(",le=", StringComparison.Ordinal))
            .ToDictionary(
                m => $"{m.Groups[1].Value} {Regex.Match(m.Groups[2].Value, "(?:reason|outcome|priority|messaging_operation_name)=\"(\\w+)\"").Groups[1].Value}"
                    .Replace("process_duration_seconds_count process", "process_duration_seconds_count ")
                    .Replace("consumed_messages_total receive", "consumed_messages_total "),
                m => m.Groups[3].Value);

    private string Scrape(ExpositionFormat format = ExpositionFormat.Text)
    {
        var text = new Utf8Text();
        Assert.True(_host.Services.GetRequiredService<PrometheusExporter>().Write(text, format));
        var written = Encoding.UTF8.GetString(text.Written.Span);
        text.ReturnToPool();
        return written;
    }
}
