using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What the watch makes of the looks that it takes at one turn.</summary>
public sealed class WatchedTurnTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(5);
    private static readonly TurnReport s_begun = new("orders-1", Lane.Process, "holdfast-worker-1", TimeSpan.Zero);

    private readonly WatchedTurn _turn = new(1, s_begun, TimeSpan.FromSeconds(10), Asleep(0));

    [Fact]
    public void That_it_is_long_is_told_once_and_not_before_it_is()
    {
        Assert.False(_turn.IsLong(TimeSpan.FromSeconds(15), s_limit));
        Assert.True(_turn.IsLong(TimeSpan.FromSeconds(15.1), s_limit));
        Assert.False(_turn.IsLong(TimeSpan.FromSeconds(15.2), s_limit));
    }

    [Fact]
    public void A_time_in_which_nobody_ran_is_no_part_of_it()
    {
        _turn.Skip(TimeSpan.FromSeconds(45));

        Assert.False(_turn.IsLong(TimeSpan.FromSeconds(60), s_limit));
        Assert.Equal(TimeSpan.FromSeconds(5), _turn.Report(TimeSpan.FromSeconds(60)).Duration);
        Assert.False(_turn.IsBlocked(TimeSpan.FromSeconds(60), Asleep(1)));
    }

    [Fact]
    public void That_it_blocks_is_told_once()
    {
        Assert.True(_turn.IsFirstSeenBlocked());
        Assert.False(_turn.IsFirstSeenBlocked());
    }

    [Fact]
    public void What_is_told_of_it_is_how_long_it_has_lasted() =>
        Assert.Equal(s_begun with { Duration = TimeSpan.FromSeconds(3) }, _turn.Report(TimeSpan.FromSeconds(13)));

    [Fact]
    public void Asleep_at_two_looks_with_hardly_any_work_in_between_it_blocks() => Assert.True(_turn.IsBlocked(TimeSpan.FromSeconds(11), Asleep(0.09)));

    [Fact]
    public void With_a_tenth_of_the_time_at_work_it_does_not() => Assert.False(_turn.IsBlocked(TimeSpan.FromSeconds(11), Asleep(0.1)));

    [Fact]
    public void What_could_run_and_gets_no_CPU_is_not_blocked()
    {
        Assert.False(_turn.IsBlocked(TimeSpan.FromSeconds(11), Awake(0)));
        Assert.False(_turn.IsBlocked(TimeSpan.FromSeconds(12), Asleep(0)));
        Assert.True(_turn.IsBlocked(TimeSpan.FromSeconds(13), Asleep(0)));
    }

    [Fact]
    public void Each_look_is_held_against_the_one_before()
    {
        Assert.False(_turn.IsBlocked(TimeSpan.FromSeconds(11), Asleep(1)));
        Assert.True(_turn.IsBlocked(TimeSpan.FromSeconds(12), Asleep(1)));
    }

    private static ThreadSample Asleep(double cpuSeconds) => new(ThreadActivity.Sleeping, TimeSpan.FromSeconds(cpuSeconds));

    private static ThreadSample Awake(double cpuSeconds) => new(ThreadActivity.Running, TimeSpan.FromSeconds(cpuSeconds));
}
