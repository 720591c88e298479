using Holdfast.Worker.Prometheus;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class MetricNameTests
{
    [Theory]
    [InlineData("holdfast.lane.wait", "s", "Histogram", "holdfast_lane_wait_seconds")]
    [InlineData("holdfast_lane_wait_seconds", "s", "Histogram", "holdfast_lane_wait_seconds")]
    [InlineData("seconds", "s", "Gauge", "seconds")]
    [InlineData("milliseconds", "s", "Gauge", "milliseconds_seconds")]
    [InlineData("holdfast.cpu.throttled", "s", "Counter", "holdfast_cpu_throttled_seconds")]
    [InlineData("holdfast_cpu_throttled_seconds_total", "s", "Counter", "holdfast_cpu_throttled_seconds")]
    [InlineData("http.body", "By", "Gauge", "http_body_bytes")]
    [InlineData("rate", "By/s", "Gauge", "rate_bytes_per_second")]
    [InlineData("rate", "{request}/m", "Gauge", "rate_per_minute")]
    [InlineData("queued", "{message}", "Gauge", "queued")]
    [InlineData("share", "1", "Gauge", "share_ratio")]
    [InlineData("share", "1", "Counter", "share")]
    [InlineData("wait", "ms", "Gauge", "wait_milliseconds")]
    [InlineData("odd", "fur longs", "Gauge", "odd_fur_longs")]
    [InlineData("a..b--c__d", "", "Gauge", "a_b_c_d")]
    [InlineData("1st", "", "Gauge", "_1st")]
    [InlineData("größe", "", "Gauge", "gr_e")]
    [InlineData("rule:sum", "", "Gauge", "rule:sum")]
    [InlineData("total", "", "Counter", "total")]
    public void Names_are_translated_as_opentelemetry_says(string name, string unit, string kind, string expected) =>
        Assert.Equal(expected, MetricName.Family(name, unit, Enum.Parse<SeriesKind>(kind)));

    [Theory]
    [InlineData("http.method", "http_method")]
    [InlineData("a__b", "a__b")]
    [InlineData("0", "_0")]
    [InlineData("a:b", "a_b")]
    [InlineData("", "_")]
    public void Label_names_are_translated_too(string key, string expected) => Assert.Equal(expected, MetricName.Label(key));
}
