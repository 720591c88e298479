using System.Diagnostics;
using System.Diagnostics.Metrics;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Prometheus;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Bench;

/// <summary>How long a scrape of very many series takes: the first of a process, and those that follow.</summary>
internal static class ScrapeCase
{
    private const int Series = 10_000;
    private const double MostMilliseconds = 20;

    // As many as a worker has.
    private const int SeriesAtFirst = 150;

    // As the worker does it; and a Prometheus server comes some seconds after the start.
    private static readonly TimeSpan s_untilPrepared = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_untilTheFirst = TimeSpan.FromSeconds(3);

    public static Case Case { get; } = new(
        "scrape",
        $"{Series:#,0} series are written in at most {MostMilliseconds} ms, the first time too, once the exporter has written what little there is at the start.",
        ["milliseconds", "first scrape", "those that follow", "most of them"],
        [
            new("prepared at the start", scale => Measure(scale, isPrepared: true)),
            new("prepared, another process", scale => Measure(scale, isPrepared: true)),
            new("prepared, a third one", scale => Measure(scale, isPrepared: true)),
            new("not prepared", scale => Measure(scale, isPrepared: false)),
        ]);

    private static Outcome Measure(Scale scale, bool isPrepared)
    {
        using var meter = new Meter(Identity.Telemetry);
        var counter = meter.CreateCounter<long>("scraped");
        var exporter = new PrometheusExporter(NullLogger<PrometheusExporter>.Instance);
        using var provider = ScrapedMeters.Build(exporter, new ConfigurationBuilder().Build(), Series + 1);
        Add(counter, SeriesAtFirst);
        for (var i = 0; isPrepared && i < PrometheusExporter.Preparations; i++)
        {
            Thread.Sleep(s_untilPrepared);
            exporter.Prepare();
        }

        Add(counter, Series);
        Thread.Sleep(s_untilTheFirst);

        var first = Scrape(exporter);
        var following = Enumerable.Range(0, scale.Pick(100, 3)).Select(_ => Scrape(exporter)).ToArray();
        var samples = new Samples(following);
        Row row = new([isPrepared ? "prepared" : "not prepared", Number.Show(first), Number.Show(samples.At(50)), Number.Show(samples.Max)]);
        return new([isPrepared ? row with { Bound = $"first at most {MostMilliseconds}", Holds = first <= MostMilliseconds } : row]);
    }

    private static void Add(Counter<long> counter, int series)
    {
        for (var i = 0; i < series; i++)
            counter.Add(i, new("number", i), new("queue", "orders"));
    }

    private static double Scrape(PrometheusExporter exporter)
    {
        var text = new Utf8Text();
        var start = Stopwatch.GetTimestamp();
        exporter.Write(text, ExpositionFormat.OpenMetrics);
        var took = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        text.ReturnToPool();
        return took;
    }
}
