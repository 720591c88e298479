using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class CpuThrottlingTests
{
    private const string V1 = "nr_periods 10\nnr_throttled 4\nthrottled_time 1500000000\nnr_bursts 0\n";
    private const string V2 = "usage_usec 77\nnr_throttled 4\nthrottled_usec 2500000\nnr_bursts 0\n";

    [Fact]
    public void V1_counts_nanoseconds() => Assert.Equal(TimeSpan.FromSeconds(1.5), Most(V1));

    [Fact]
    public void V2_counts_microseconds() => Assert.Equal(TimeSpan.FromSeconds(2.5), Most(V2));

    [Fact]
    public void The_most_throttled_on_the_way_to_the_root_counts() =>
        Assert.Equal(TimeSpan.FromSeconds(2.5), Most(V1, V2, null));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("usage_usec 77\n")]
    [InlineData("throttled_usec\nthrottled_time much\n")]
    [InlineData("throttled_usec 99999999999999999999\n")]
    public void What_is_unknown_is_zero(string? stat) => Assert.Equal(TimeSpan.Zero, Most(stat));

    [Fact]
    public void Without_cgroups_it_is_zero() => Assert.Equal(TimeSpan.Zero, Most());

    [Fact]
    public void On_this_machine_it_never_goes_back()
    {
        var before = CpuThrottling.Total();
        Assert.InRange(before, TimeSpan.Zero, CpuThrottling.Total());
    }

    private static TimeSpan Most(params string?[] stats) =>
        CpuThrottling.Most(
            Enumerable.Range(0, stats.Length).Select(i => $"{i}"),
            path => stats[path[0] - '0']);
}
