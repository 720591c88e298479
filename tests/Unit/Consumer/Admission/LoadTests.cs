using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LoadTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(1, 2)]
    [InlineData(1, 1.5)]
    [InlineData(2, 2)]
    [InlineData(8, 2)]
    public void The_CPU_is_busy_when_the_threads_that_there_are_burn_all_that_they_can(int threads, double cpus)
    {
        var burnt = s_second * Math.Min(threads, cpus);
        var load = new Load(threads, Waiting: 10 * threads, Wait: s_second, Load.ShareOf(burnt, s_second, threads, cpus), PoolDelay: TimeSpan.Zero);

        Assert.True(load.IsTooMuch);
    }

    [Theory]
    [InlineData(1, 2, false)]
    [InlineData(1, 3, true)]
    [InlineData(4, 5, false)]
    [InlineData(4, 6, true)]
    public void One_turn_more_than_the_threads_take_next_may_wait(int threads, int waiting, bool isTooMuch) =>
        Assert.Equal(isTooMuch, new Load(threads, waiting, Wait: s_second, CpuShare: 1, PoolDelay: TimeSpan.Zero).IsTooMuch);

    [Fact]
    public void Handlers_that_only_block_leave_the_CPU_idle()
    {
        var load = new Load(2, Waiting: 20, Wait: s_second, Load.ShareOf(s_second / 10, s_second, 2, 2), PoolDelay: TimeSpan.Zero);

        Assert.False(load.IsTooMuch);
    }
}
