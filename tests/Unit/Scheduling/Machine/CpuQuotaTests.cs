using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class CpuQuotaTests
{
    private readonly Dictionary<string, string> _files = new()
    {
        ["/proc/self/mountinfo"] =
            "1 0 0:1 / /v1 rw - cgroup cgroup rw,cpu\n" +
            "2 0 0:2 / /v2 rw - cgroup2 cgroup2 rw\n",
        ["/proc/self/cgroup"] = "1:cpu:/app\n0::/pod/app\n",
    };

    [Fact]
    public void V2_writes_quota_and_period_in_one_line() => Assert.Equal(1.5, With("/v2/pod/app/cpu.max", "150000 100000\n"));

    [Fact]
    public void V1_writes_them_in_two_files()
    {
        With("/v1/app/cpu.cfs_period_us", "50000\n");
        Assert.Equal(0.5, With("/v1/app/cpu.cfs_quota_us", "25000\n"));
    }

    [Fact]
    public void A_smaller_quota_of_a_parent_counts()
    {
        With("/v2/pod/app/cpu.max", "400000 100000\n");
        Assert.Equal(2, With("/v2/pod/cpu.max", "200000 100000\n"));
    }

    [Fact]
    public void A_larger_quota_of_a_parent_does_not()
    {
        With("/v2/pod/app/cpu.max", "100000 100000\n");
        Assert.Equal(1, With("/v2/pod/cpu.max", "200000 100000\n"));
    }

    [Fact]
    public void In_a_hybrid_the_smaller_of_both_counts()
    {
        With("/v1/app/cpu.cfs_period_us", "100000\n");
        With("/v1/app/cpu.cfs_quota_us", "300000\n");
        Assert.Equal(3, With("/v2/pod/app/cpu.max", "max 100000\n"));
    }

    [Fact]
    public void A_container_that_sees_its_cgroup_as_the_root_reads_it_there() =>
        Assert.Equal(0.25, With("/v2/cpu.max", "25000 100000\n"));

    [Theory]
    [InlineData("max 100000\n")]
    [InlineData("")]
    [InlineData("100000")]
    [InlineData("100000 0")]
    [InlineData("0 100000")]
    [InlineData("-1 100000")]
    [InlineData("1e3 100000")]
    [InlineData("1 2 3")]
    [InlineData("99999999999999999999 100000")]
    public void What_is_no_quota_is_taken_for_none(string text) =>
        Assert.Equal(double.PositiveInfinity, With("/v2/pod/app/cpu.max", text));

    [Fact]
    public void A_quota_of_minus_one_is_none()
    {
        With("/v1/app/cpu.cfs_period_us", "100000\n");
        Assert.Equal(double.PositiveInfinity, With("/v1/app/cpu.cfs_quota_us", "-1\n"));
    }

    [Fact]
    public void No_files_mean_no_quota() => Assert.Equal(double.PositiveInfinity, CpuQuota.Smallest(_ => null));

    [Theory]
    [InlineData(0.2, 1)]
    [InlineData(1, 1)]
    [InlineData(1.99, 1)]
    [InlineData(2, 2)]
    [InlineData(7.5, 7)]
    [InlineData(96, 64)]
    public void Worker_threads_are_the_cpus_rounded_down_at_least_one_and_as_many_as_there_can_be(double cpus, int threads) =>
        Assert.Equal(threads, CpuQuota.ThreadsFor(cpus));

    [Fact]
    public void This_machine_has_some()
    {
        Assert.InRange(CpuQuota.Cpus, double.Epsilon, 8192);
        Assert.Equal(CpuQuota.ThreadsFor(CpuQuota.Cpus), CpuQuota.WorkerThreads);
    }

    private double With(string path, string text)
    {
        _files[path] = text;
        return CpuQuota.Smallest(_files.GetValueOrDefault);
    }
}
