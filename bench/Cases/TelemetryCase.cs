using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Prometheus;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Holdfast.Bench;

/// <summary>What telemetry takes of the engine's throughput: metrics scraped each second, and traces beside them.</summary>
internal static class TelemetryCase
{
    private const double MostShare = 0.03;
    private const string Unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    private const string Sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static readonly Dictionary<string, object?> s_none = [];

    public static Case Case { get; } = new(
        "telemetry",
        $"metrics that are scraped each second, and traces, cost at most {MostShare:0 %} of the engine's throughput; the queue is filled before, the handler does nothing.",
        ["messages a second", "median", "lost of it, round by round", "ns of CPU for a message"],
        [new("no-op handler", Judged), new("dearer ways", Dearer)]);

    // Many rounds: a single one of either differs from the next by more than what is looked for.
    private static Outcome Judged(Scale scale)
    {
        var messages = scale.Pick(500_000, 50_000);
        var rounds = Interleaved.Run(
            1,
            scale.Pick(51, 1),
            () => Run(messages, s_none),
            () => Run(messages, s_none, isScraped: true),
            () => Run(messages, s_none, isScraped: true, traced: 0.01),
            () => Run(messages, s_none, isScraped: true, traced: 1));

        return new(
        [
            Row("bare", rounds[0], rounds[0], isJudged: false),
            Row("metrics", rounds[1], rounds[0]),
            Row("metrics, 1 % of the traces", rounds[2], rounds[0]),
            Row("metrics, all traces", rounds[3], rounds[0]),
        ],
        Note(messages));
    }

    private static Outcome Dearer(Scale scale)
    {
        var messages = scale.Pick(1_000_000, 50_000);
        var rounds = Interleaved.Run(
            1,
            scale.Pick(5, 1),
            () => Run(messages, s_none),
            () => Run(messages, new() { ["traceparent"] = Unsampled }, isScraped: true, traced: 0.01),
            () => Run(messages, new() { ["traceparent"] = Sampled }, isScraped: true, traced: 0.01));

        return new(
        [
            Row("metrics, each message with a trace that is not recorded", rounds[1], rounds[0], isJudged: false),
            Row("metrics, each message with a trace that is recorded", rounds[2], rounds[0], isJudged: false),
        ],
        Note(messages));
    }

    private static string Note(int messages) =>
        $"{messages:#,0} messages a round; what is lost is compared with the bare run of the same round. At most a thousand traces a second begin, whatever the ratio. Spans are made and ended as for a collector, and dropped where they would be sent.";

    private static Row Row(string what, Cost[] with, Cost[] bare, bool isJudged = true)
    {
        var lost = Reading.Median(with.Zip(bare, (one, other) => 1 - (other.WallNanoseconds / one.WallNanoseconds)));
        string[] cells =
        [
            what,
            $"{Reading.Median(with.Select(cost => 1e9 / cost.WallNanoseconds))}",
            $"{lost.Value:0.0 %}",
            $"{Reading.Median(with.Select(cost => cost.CpuNanoseconds))}",
        ];
        return isJudged ? new(cells, $"at most {MostShare:0 %}", lost.Value <= MostShare, IsRelative: true) : new(cells);
    }

    private static Cost Run(int messages, Dictionary<string, object?> properties, bool isScraped = false, double traced = 0)
    {
        var backlog = Backlog.Of(messages, i => new Message { Id = $"{i}", Properties = properties });
        using var traces = traced > 0 ? Traces() : null;
        return backlog.CostOfEach(backlog => Drain(backlog, isScraped, new RootSampling(traced)));
    }

    private static TracerProvider Traces() =>
        Sdk.CreateTracerProviderBuilder()
            .AddSource(Identity.Telemetry)
            .SetSampler(new ParentBasedSampler(new AlwaysOnSampler()))
            .AddProcessor(new BatchActivityExportProcessor(new Nowhere()))
            .Build();

    private static void Drain(Backlog backlog, bool isScraped, RootSampling roots)
    {
        using var engine = backlog.Engine(holdfast =>
        {
            holdfast.Services.AddSingleton(roots);
            holdfast.Handle(Backlog.Queue, static (_, _) => new(Settlement.Complete));
        });
        using var scraping = isScraped ? new Scraping(engine.Services.GetRequiredService<Distributions>()) : null;
        backlog.Empty(engine);
    }

    /// <summary>A Prometheus server's part.</summary>
    private sealed class Scraping : IDisposable
    {
        private readonly PrometheusExporter _exporter;
        private readonly MeterProvider _meters;
        private readonly Timer _timer;

        public Scraping(Distributions distributions)
        {
            _exporter = new PrometheusExporter(NullLogger<PrometheusExporter>.Instance, distributions);
            _meters = ScrapedMeters.Build(_exporter, new ConfigurationBuilder().Build());
            _timer = new Timer(_ => Scrape(), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
        }

        public void Dispose()
        {
            _timer.Dispose();
            _meters.Dispose();
        }

        private void Scrape()
        {
            var text = new Utf8Text();
            _exporter.Write(text, ExpositionFormat.OpenMetrics);
            text.ReturnToPool();
        }
    }

    /// <summary>A collector's part.</summary>
    private sealed class Nowhere : BaseExporter<Activity>
    {
        public override ExportResult Export(in Batch<Activity> batch) => ExportResult.Success;
    }
}
