using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Text.RegularExpressions;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed partial class ExporterTests : IDisposable
{
    private readonly Exporting _exporting = new();

    private Meter Meter => _exporting.Meter;

    public void Dispose() => _exporting.Dispose();

    [Fact]
    public void A_counter_ends_in_total()
    {
        Meter.CreateCounter<long>("holdfast.lease.misses", "{miss}", "Leases that were lost").Add(3, new("queue", "orders"), new("reason", "expired"));

        Assert.Equal(
            """
            # TYPE holdfast_lease_misses_total counter
            # HELP holdfast_lease_misses_total Leases that were lost
            holdfast_lease_misses_total{otel_scope_name="test",queue="orders",reason="expired"} 3

            """, _exporting.Text);
        Assert.Equal(
            """
            # TYPE holdfast_lease_misses counter
            # HELP holdfast_lease_misses Leases that were lost
            holdfast_lease_misses_total{otel_scope_name="test",queue="orders",reason="expired"} 3
            # EOF

            """, _exporting.OpenMetrics);
    }

    [Fact]
    public void A_gauge_and_an_up_down_counter_are_gauges()
    {
        Meter.CreateObservableGauge("cpu", () => 0.25, "1");
        Meter.CreateUpDownCounter<int>("held").Add(-2);

        Assert.Equal(
            """
            # TYPE cpu_ratio gauge
            cpu_ratio{otel_scope_name="test"} 0.25
            # TYPE held gauge
            held{otel_scope_name="test"} -2

            """, _exporting.Text);
        Assert.Equal(
            """
            # TYPE cpu_ratio gauge
            # UNIT cpu_ratio ratio
            cpu_ratio{otel_scope_name="test"} 0.25
            # TYPE held gauge
            held{otel_scope_name="test"} -2
            # EOF

            """, _exporting.OpenMetrics);
    }

    [Fact]
    public void A_histogram_counts_everything_below_each_bound()
    {
        var wait = Meter.CreateHistogram("holdfast.lane.wait", "s", "How long work waited", advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.5, 1, 10] });
        foreach (var seconds in (double[])[0.25, 0.5, 2, 20])
            wait.Record(seconds, new KeyValuePair<string, object?>("lane", "lease"));

        Assert.Equal(
            """
            # TYPE holdfast_lane_wait_seconds histogram
            # HELP holdfast_lane_wait_seconds How long work waited
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="0.5"} 2
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="1"} 2
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="10"} 3
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="+Inf"} 4
            holdfast_lane_wait_seconds_sum{otel_scope_name="test",lane="lease"} 22.75
            holdfast_lane_wait_seconds_count{otel_scope_name="test",lane="lease"} 4

            """, _exporting.Text);
        Assert.Equal(
            """
            # TYPE holdfast_lane_wait_seconds histogram
            # UNIT holdfast_lane_wait_seconds seconds
            # HELP holdfast_lane_wait_seconds How long work waited
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="0.5"} 2
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="1.0"} 2
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="10.0"} 3
            holdfast_lane_wait_seconds_bucket{otel_scope_name="test",lane="lease",le="+Inf"} 4
            holdfast_lane_wait_seconds_sum{otel_scope_name="test",lane="lease"} 22.75
            holdfast_lane_wait_seconds_count{otel_scope_name="test",lane="lease"} 4
            # EOF

            """, _exporting.OpenMetrics);
    }

    [Fact]
    public void A_histogram_without_bounds_has_the_bucket_of_all()
    {
        using var exporting = new Exporting(b => b
            .AddView("bare", new ExplicitBucketHistogramConfiguration { Boundaries = [] })
            .AddView("exponential", new Base2ExponentialBucketHistogramConfiguration()));
        exporting.Meter.CreateHistogram<double>("bare").Record(3);
        exporting.Meter.CreateHistogram<double>("exponential").Record(4);

        Assert.Equal(
            """
            # TYPE bare histogram
            bare_bucket{otel_scope_name="test",le="+Inf"} 1
            bare_sum{otel_scope_name="test"} 3
            bare_count{otel_scope_name="test"} 1
            # TYPE exponential histogram
            exponential_bucket{otel_scope_name="test",le="+Inf"} 1
            exponential_sum{otel_scope_name="test"} 4
            exponential_count{otel_scope_name="test"} 1

            """, exporting.Text);
    }

    [Fact]
    public void Floats_that_are_no_numbers_have_names()
    {
        var values = new[] { double.NaN, double.PositiveInfinity, double.NegativeInfinity, 1e300, 0.1 };
        Meter.CreateObservableGauge("odd", () => values.Select((v, i) => new Measurement<double>(v, new KeyValuePair<string, object?>("i", i))));

        Assert.Equal(["NaN", "+Inf", "-Inf", "1E+300", "0.1"], Values(_exporting.Text));
    }

    [Fact]
    public void Label_values_and_help_are_escaped_as_each_format_says()
    {
        Meter.CreateCounter<int>("odd", null, "back\\slash, \"quotes\" and\na line").Add(1, new KeyValuePair<string, object?>("path", "C:\\a \"b\"\nc é"));

        Assert.Contains("""{otel_scope_name="test",path="C:\\a \"b\"\nc é"} 1""", _exporting.Text);
        Assert.Contains("""# HELP odd_total back\\slash, "quotes" and\na line""", _exporting.Text);
        Assert.Contains("""# HELP odd back\\slash, \"quotes\" and\na line""", _exporting.OpenMetrics);
    }

    [Fact]
    public void Label_values_of_any_type_are_written()
    {
        Meter.CreateCounter<int>("n").Add(1, new("a", 1), new("b", true), new("c", 2.5), new KeyValuePair<string, object?>("d", null));

        Assert.Contains("""a="1",b="true",c="2.5",d="" """.TrimEnd(), _exporting.Text);
    }

    [Fact]
    public void Labels_that_fall_on_one_name_are_joined_in_the_order_of_their_keys()
    {
        Meter.CreateCounter<int>("n").Add(1, new("http_host", "second"), new("http.host", "first"));

        Assert.Contains("""{otel_scope_name="test",http_host="first;second"} 1""", _exporting.Text);
    }

    [Fact]
    public void A_label_that_means_something_to_prometheus_is_renamed()
    {
        Meter.CreateHistogram("h", null, null, advice: new InstrumentAdvice<int> { HistogramBucketBoundaries = [] }).Record(1, new KeyValuePair<string, object?>("le", "x"));

        Assert.Contains("""h_bucket{otel_scope_name="test",exported_le="x",le="+Inf"} 1""", _exporting.Text);
    }

    [Fact]
    public void An_exemplar_stands_in_the_bucket_that_its_value_fell_into_and_only_in_open_metrics()
    {
        var duration = Meter.CreateHistogram("duration", "s", null, advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [1, 2] });
        using var activity = new Activity("work") { ActivityTraceFlags = ActivityTraceFlags.Recorded }.SetIdFormat(ActivityIdFormat.W3C).Start();
        duration.Record(1.5);
        duration.Record(7);

        var written = Times().Replace(_exporting.OpenMetrics, "} $1 <time>");

        var trace = $$"""# {trace_id="{{activity.TraceId}}",span_id="{{activity.SpanId}}"}""";
        Assert.Contains($"le=\"1.0\"}} 0\n", written);
        Assert.Contains($"le=\"2.0\"}} 1 {trace} 1.5 <time>\n", written);
        Assert.Contains($"le=\"+Inf\"}} 2 {trace} 7 <time>\n", written);
        Assert.DoesNotContain("trace_id", _exporting.Text);
    }

    [Fact]
    public void A_counter_carries_an_exemplar_too()
    {
        using var activity = new Activity("work") { ActivityTraceFlags = ActivityTraceFlags.Recorded }.SetIdFormat(ActivityIdFormat.W3C).Start();
        Meter.CreateCounter<long>("n").Add(2);

        Assert.Contains($$"""n_total{otel_scope_name="test"} 2 # {trace_id="{{activity.TraceId}}",span_id="{{activity.SpanId}}"} 2 <time>""", Times().Replace(_exporting.OpenMetrics, "} $1 <time>"));
    }

    [Fact]
    public void A_counter_that_is_read_when_it_is_asked_for_does_not_carry_the_trace_of_who_asks()
    {
        Meter.CreateObservableCounter("n", () => 2L);
        using var scrape = new Activity("scrape") { ActivityTraceFlags = ActivityTraceFlags.Recorded }.SetIdFormat(ActivityIdFormat.W3C).Start();

        Assert.Contains("n_total{otel_scope_name=\"test\"} 2\n", _exporting.OpenMetrics);
        Assert.Same(scrape, Activity.Current);
    }

    [Fact]
    public void The_target_is_named()
    {
        using var exporting = new Exporting(b => b.ConfigureResource(r => r.AddService("holdfast", serviceVersion: "1.2", autoGenerateServiceInstanceId: false)));

        Assert.Equal(
            """
            # TYPE target_info gauge
            # HELP target_info Target metadata
            target_info{service_name="holdfast",service_version="1.2"} 1

            """, exporting.Text);
        Assert.Equal(
            """
            # TYPE target info
            # HELP target Target metadata
            target_info{service_name="holdfast",service_version="1.2"} 1
            # EOF

            """, exporting.OpenMetrics);
    }

    [Fact]
    public void The_runtimes_own_metrics_are_written_as_the_formats_demand()
    {
        using var exporting = new Exporting(b => b.AddMeter("System.Runtime"));

        Assert.Contains("# TYPE dotnet_process_memory_working_set_bytes gauge", exporting.OpenMetrics);
        Assert.Contains("# TYPE dotnet_gc_collections_total counter", exporting.Text);
    }

    private static IEnumerable<string> Values(string text) =>
        text.Split('\n').Where(l => l.Length > 0 && l[0] != '#').Select(l => l[(l.LastIndexOf(' ') + 1)..]);

    [GeneratedRegex(@"\} ([0-9.]+) 1[0-9]{9}(\.[0-9]{1,3})?(?=\n)")]
    private static partial Regex Times();
}
