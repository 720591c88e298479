using Holdfast.Virtual;

namespace Holdfast.Tests.Unit;

public sealed class VirtualTimeTests
{
    private readonly VirtualTime _time = new();
    private readonly List<string> _fired = [];

    [Fact]
    public void Timers_fire_in_order_of_their_time_and_then_of_their_making()
    {
        Set("late", 2);
        Set("first", 1);
        Set("second", 1);

        _time.Advance(TimeSpan.FromSeconds(2));

        Assert.Equal(["first at 1", "second at 1", "late at 2"], _fired);
    }

    [Fact]
    public void A_timer_that_was_disposed_or_set_anew_keeps_silent()
    {
        Set("gone", 1).Dispose();
        Set("moved", 1).Change(TimeSpan.FromSeconds(3), Timeout.InfiniteTimeSpan);

        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Empty(_fired);

        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(["moved at 3"], _fired);
    }

    [Fact]
    public void A_periodic_timer_fires_at_each_period()
    {
        using var timer = Set("tick", 1, period: 2);

        _time.Advance(TimeSpan.FromSeconds(6));

        Assert.Equal(["tick at 1", "tick at 3", "tick at 5"], _fired);
        Assert.Equal(TimeSpan.FromSeconds(1), _time.UntilNextTimer);
    }

    private ITimer Set(string name, int seconds, int? period = null) =>
        _time.CreateTimer(
            _ => _fired.Add($"{name} at {_time.Elapsed.TotalSeconds}"),
            null,
            TimeSpan.FromSeconds(seconds),
            period is { } p ? TimeSpan.FromSeconds(p) : Timeout.InfiniteTimeSpan);
}
