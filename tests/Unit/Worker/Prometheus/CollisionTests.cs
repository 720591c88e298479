namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class CollisionTests : IDisposable
{
    private readonly Exporting _exporting = new();

    public void Dispose() => _exporting.Dispose();

    [Fact]
    public void Metrics_of_one_name_and_kind_share_a_header()
    {
        _exporting.Meter.CreateCounter<int>("lane.turns").Add(1, new KeyValuePair<string, object?>("lane", "a"));
        _exporting.Meter.CreateCounter<int>("other").Add(1);
        _exporting.Meter.CreateCounter<int>("lane_turns").Add(2, new KeyValuePair<string, object?>("lane", "b"));

        Assert.Equal(
            """
            # TYPE lane_turns_total counter
            lane_turns_total{otel_scope_name="test",lane="a"} 1
            lane_turns_total{otel_scope_name="test",lane="b"} 2
            # TYPE other_total counter
            other_total{otel_scope_name="test"} 1

            """, _exporting.Text);
        Assert.Empty(_exporting.Log.Lines);
    }

    [Fact]
    public void Of_two_series_with_the_same_labels_the_first_is_written_and_the_other_reported_once()
    {
        _exporting.Meter.CreateCounter<int>("lane.turns").Add(1);
        _exporting.Meter.CreateCounter<int>("lane_turns").Add(2);

        Assert.Contains("lane_turns_total{otel_scope_name=\"test\"} 1\n", _exporting.Text);
        Assert.DoesNotContain("} 2", _exporting.OpenMetrics);
        Assert.Equal(["Warning: Metrics: 1 series of lane_turns are left out, because others have the same labels"], _exporting.Log.Lines);
    }

    [Fact]
    public void Labels_that_read_the_same_are_the_same_series_whatever_their_types()
    {
        var counter = _exporting.Meter.CreateCounter<int>("n");
        counter.Add(5, new KeyValuePair<string, object?>("i", 1));
        counter.Add(7, new KeyValuePair<string, object?>("i", "1"));

        Assert.Single(_exporting.Text.Split('\n'), l => l.StartsWith("n_total", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("lane.turns")]
    [InlineData("lane_turns_total")]
    public void A_metric_of_another_kind_does_not_get_a_name_that_is_taken(string name)
    {
        _exporting.Meter.CreateCounter<int>("lane.turns").Add(1);
        _exporting.Meter.CreateObservableGauge(name, () => 2);

        Assert.DoesNotContain("gauge", _exporting.Text);
        Assert.DoesNotContain("gauge", _exporting.OpenMetrics);
        var line = Assert.Single(_exporting.Log.Lines);
        Assert.Contains($"{name} is not among the metrics: the name {name.Replace('.', '_')} belongs to", line);
    }

    [Fact]
    public void A_gauge_does_not_get_the_name_of_a_histograms_sum()
    {
        _exporting.Meter.CreateHistogram<int>("wait").Record(1);
        _exporting.Meter.CreateObservableGauge("wait.sum", () => 2);

        Assert.DoesNotContain("gauge", _exporting.Text);
    }

    [Fact]
    public void A_metric_that_comes_later_is_written_too()
    {
        _exporting.Meter.CreateCounter<int>("first").Add(1);
        Assert.DoesNotContain("second", _exporting.Text);

        _exporting.Meter.CreateCounter<int>("second").Add(1);

        Assert.Contains("second_total", _exporting.Text);
    }
}
