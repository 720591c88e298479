using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class AdmissionLimitTests
{
    private static readonly Load s_calm = new(2, 0, TimeSpan.Zero, 0.3, TimeSpan.Zero);
    private static readonly Load s_tooMuch = new(2, 10, TimeSpan.FromMilliseconds(50), 0.99, TimeSpan.Zero);

    [Fact]
    public void It_starts_at_a_few_for_each_thread()
    {
        Assert.Equal(8, new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2).Value);
        Assert.Equal(5, new AdmissionLimit(AdmissionMode.Adaptive, 5, threads: 2).Value);
    }

    [Fact]
    public void It_grows_by_a_quarter_while_it_is_used_up_and_never_beyond_the_most()
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 20, threads: 2);
        List<int> values = [];
        for (var look = 0; look < 6; look++)
        {
            limit.Adapt(s_calm, limit.Value, wasFull: true);
            values.Add(limit.Value);
        }

        Assert.Equal([10, 12, 15, 18, 20, 20], values);
    }

    [Fact]
    public void It_does_not_grow_while_it_keeps_nothing_out()
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);
        for (var look = 0; look < 20; look++)
            limit.Adapt(s_calm, 1, wasFull: false);

        Assert.Equal(8, limit.Value);
    }

    [Fact]
    public void It_shrinks_at_once_to_what_runs_and_grows_again_only_after_some_calm()
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);
        limit.Adapt(s_tooMuch with { Waiting = 5 }, used: 8, wasFull: true);
        Assert.Equal(5, limit.Value);

        List<int> values = [];
        for (var look = 0; look < 7; look++)
        {
            limit.Adapt(s_calm, limit.Value, wasFull: true);
            values.Add(limit.Value);
        }

        Assert.Equal([5, 5, 5, 5, 5, 6, 7], values);
    }

    [Theory]
    [InlineData(4, 10)]
    [InlineData(5, 3)]
    [InlineData(8, 2)]
    public void It_shrinks_to_those_that_begin_in_time_where_most_do_not(int late, int expected)
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);

        limit.Adapt(s_calm, used: 8, wasFull: true, late);

        Assert.Equal(expected, limit.Value);
    }

    [Theory]
    [InlineData(8, 0, 4, 8)]
    [InlineData(8, 0, 5, 7)]
    [InlineData(8, 3, 2, 5)]
    [InlineData(0, 0, 0, 8)]
    public void It_shrinks_by_no_more_than_waits_of_its_own_and_not_at_all_where_most_in_hand_need_no_thread(int inHand, int waiting, int running, int expected)
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);

        limit.Adapt(s_tooMuch, inHand, wasFull: false, need: new(inHand, waiting, running));

        Assert.Equal(expected, limit.Value);
    }

    [Fact]
    public void However_much_waits_it_leaves_one_for_each_thread()
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);
        for (var look = 0; look < 5; look++)
            limit.Adapt(s_tooMuch, limit.Value, wasFull: true);

        Assert.Equal(2, limit.Value);
    }

    [Fact]
    public void A_late_pool_shrinks_it_too()
    {
        var limit = new AdmissionLimit(AdmissionMode.Adaptive, 256, threads: 2);
        limit.Adapt(s_calm with { PoolDelay = TimeSpan.FromSeconds(1) }, used: 8, wasFull: true);

        Assert.Equal(7, limit.Value);
    }

    [Fact]
    public void Fixed_it_never_moves()
    {
        var limit = new AdmissionLimit(AdmissionMode.Fixed, 100, threads: 2);
        limit.Adapt(s_tooMuch, used: 100, wasFull: true);
        Assert.Equal(100, limit.Value);
        limit.Adapt(s_calm, used: 100, wasFull: true);
        Assert.Equal(100, limit.Value);
    }

    [Theory]
    [InlineData(10, 50, 0.99, true)]
    [InlineData(2, 50, 0.99, false)]
    [InlineData(10, 5, 0.99, false)]
    [InlineData(10, 50, 0.5, false)]
    public void It_is_too_much_where_more_waits_than_runs_for_long_and_the_cpu_is_burnt(double waiting, int waitMs, double cpu, bool isTooMuch) =>
        Assert.Equal(isTooMuch, new Load(2, waiting, TimeSpan.FromMilliseconds(waitMs), cpu, TimeSpan.Zero).IsTooMuch);
}
