using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class BoundsTests : IDisposable
{
    private const double TenMinutes = 600;

    private readonly HoldfastMeter _meter = new();

    public void Dispose() => _meter.Dispose();

    // A quantile may lie anywhere in the step that it falls into: so this is by how much it may be wrong.
    [Fact]
    public void From_a_millisecond_to_ten_minutes_no_duration_looks_more_than_two_and_a_half_times_as_long_as_it_is() =>
        Assert.All(
            _meter.Handler.Bounds.Zip(_meter.Handler.Bounds.Skip(1)).Where(step => step is { First: >= 0.001, Second: <= TenMinutes }),
            step => Assert.InRange(step.Second / step.First, 1, 2.5));

    [Fact]
    public void Whether_handlers_end_within_the_time_that_a_drain_has_as_a_rule_is_counted_exactly() =>
        Assert.Contains(new HoldfastOptions().DrainTimeout.TotalSeconds, _meter.Handler.Bounds);

    // grafana/src/objective.mjs: SHORT_HANDLER.
    [Fact]
    public void Whether_handlers_end_within_what_the_alert_on_a_standstill_asks_for_is_counted_exactly() =>
        Assert.Contains(300, _meter.Handler.Bounds);
}
