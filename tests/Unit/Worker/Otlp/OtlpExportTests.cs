using System.Diagnostics;
using System.Diagnostics.Metrics;
using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Otlp;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Holdfast.Tests.Unit.Worker.Otlp;

[Collection(nameof(Alone))]
public sealed class OtlpExportTests
{
    private static readonly TimeSpan s_longEnough = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData("", AggregationTemporality.Cumulative, AggregationTemporality.Cumulative)]
    [InlineData("cumulative", AggregationTemporality.Cumulative, AggregationTemporality.Cumulative)]
    [InlineData("delta", AggregationTemporality.Delta, AggregationTemporality.Delta)]
    [InlineData("LowMemory", AggregationTemporality.Delta, AggregationTemporality.Cumulative)]
    public void Sums_begin_anew_as_is_preferred(string preference, AggregationTemporality counter, AggregationTemporality observable)
    {
        var sent = Sent($"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE={preference}");

        Assert.Equal((counter, observable), (sent["counted"].Temporality, sent["observed"].Temporality));
    }

    [Theory]
    [InlineData("", MetricType.Histogram)]
    [InlineData("explicit_bucket_histogram", MetricType.Histogram)]
    [InlineData("base2_exponential_bucket_histogram", MetricType.ExponentialHistogram)]
    public void Histograms_are_made_of_what_is_asked_for(string aggregation, MetricType type) =>
        Assert.Equal(type, Sent($"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION={aggregation}")["measured"].Type);

    [Fact]
    public async Task Metrics_are_sent_as_often_as_the_configuration_says()
    {
        using var exporter = new Kept();
        using var provider = OtlpExport.Build(exporter, Reading.Read("OTEL_METRIC_EXPORT_INTERVAL=1").Otel);

        await exporter.Exported.WaitAsync(s_longEnough, TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Spans_are_sent_in_batches_of_what_the_configuration_says()
    {
        using var exporter = new Batches();
        using var provider = Traces(exporter, Reading.Read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE=1").Otel);
        using var source = new ActivitySource(Identity.Telemetry);

        for (var i = 0; i < 3; i++)
            source.StartActivity("work")!.Dispose();
        provider.ForceFlush();

        Assert.Equal([1, 1, 1], exporter.Sizes);
    }

    [Fact]
    public void Who_sends_is_what_the_configuration_says()
    {
        var otel = Reading.Read("OTEL_SERVICE_NAME=shop", "OTEL_RESOURCE_ATTRIBUTES=team=orders,service.name=other").Otel;
        using var metrics = OtlpExport.Build(new Kept(), otel);
        using var traces = Traces(new Batches(), otel);

        foreach (var provider in (BaseProvider[])[metrics, traces])
        {
            var resource = provider.GetResource().Attributes.ToDictionary();
            Assert.Equal(("shop", "orders"), (resource["service.name"], resource["team"]));
        }
    }

    [Fact]
    public void Each_process_is_told_apart_by_one_id_for_all_that_it_sends()
    {
        var ids = Instances("OTEL_SERVICE_NAME=shop");

        Assert.True(Guid.TryParse((string)Assert.Single(ids.Distinct()), out _));
    }

    [Fact]
    public void An_id_of_the_process_that_the_configuration_has_goes_before_ours() =>
        Assert.Equal(["one", "one"], Instances("OTEL_RESOURCE_ATTRIBUTES=service.instance.id=one"));

    [Fact]
    public async Task What_has_no_effect_is_told_once_at_the_start()
    {
        var log = new Notes<OtlpExport>();
        using var export = new OtlpExport(Reading.Read("OTEL_PROPAGATORS=b3", "OTEL_LOGS_EXPORTER=otlp").Otel, log, TimeProvider.System);

        await export.StartAsync(TestContext.Current.CancellationToken);

        Assert.Contains("without effect here: OTEL_LOGS_EXPORTER, OTEL_PROPAGATORS.", Assert.Single(log.Lines));
    }

    [Fact]
    public void Spans_that_a_slow_collector_leaves_no_room_for_are_told_of()
    {
        var log = new Notes<OtlpExport>();
        var otel = Reading.Read("OTEL_BSP_MAX_QUEUE_SIZE=2", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2").Otel;
        using var slow = new Slow();
        using (var provider = OtlpExport.Build(slow, new SpanBacklog(otel.Pace.SpanQueue, log, TimeProvider.System), otel))
        {
            using var source = new ActivitySource(Identity.Telemetry);
            for (var i = 0; i < 10; i++)
                source.StartActivity("work")!.Dispose();
            slow.Go.Set();
        }

        Assert.Contains("Spans are dropped: more end than the collector takes, and no more than 2 wait (OTEL_BSP_MAX_QUEUE_SIZE).", Assert.Single(log.Lines), StringComparison.Ordinal);
    }

    private static TracerProvider Traces(BaseExporter<Activity> exporter, OtelSettings otel) =>
        OtlpExport.Build(exporter, new SpanBacklog(otel.Pace.SpanQueue, new Notes<OtlpExport>(), TimeProvider.System), otel);

    private static object[] Instances(string set)
    {
        var otel = Reading.Read(set).Otel;
        using var metrics = OtlpExport.Build(new Kept(), otel);
        using var traces = Traces(new Batches(), otel);
        return [.. ((BaseProvider[])[metrics, traces]).Select(provider => provider.GetResource().Attributes.ToDictionary().GetValueOrDefault("service.instance.id", ""))];
    }

    private static Dictionary<string, (AggregationTemporality Temporality, MetricType Type)> Sent(string set)
    {
        using var exporter = new Kept();
        using var provider = OtlpExport.Build(exporter, Reading.Read(set).Otel);
        using var meter = new Meter(Identity.Telemetry);
        meter.CreateCounter<long>("counted").Add(1);
        meter.CreateObservableCounter("observed", () => 1L);
        meter.CreateHistogram("measured", advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [1, 2] }).Record(1);
        provider.ForceFlush();
        return exporter.Metrics;
    }

    private sealed class Kept : BaseExporter<Metric>
    {
        private readonly TaskCompletionSource _exported = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Dictionary<string, (AggregationTemporality Temporality, MetricType Type)> Metrics { get; } = [];

        public Task Exported => _exported.Task;

        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (var metric in batch)
                Metrics[metric.Name] = (metric.Temporality, metric.MetricType);
            _exported.TrySetResult();
            return ExportResult.Success;
        }
    }

    private sealed class Slow : BaseExporter<Activity>
    {
        public ManualResetEventSlim Go { get; } = new();

        public override ExportResult Export(in Batch<Activity> batch)
        {
            Go.Wait();
            return ExportResult.Success;
        }

        protected override void Dispose(bool disposing)
        {
            Go.Dispose();
            base.Dispose(disposing);
        }
    }

    private sealed class Batches : BaseExporter<Activity>
    {
        public List<long> Sizes { get; } = [];

        public override ExportResult Export(in Batch<Activity> batch)
        {
            Sizes.Add(batch.Count);
            return ExportResult.Success;
        }
    }
}
