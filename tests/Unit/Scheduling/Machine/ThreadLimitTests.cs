using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class ThreadLimitTests
{
    private readonly Dictionary<string, string> _files = new()
    {
        ["/proc/self/mountinfo"] =
            "1 0 0:1 / /v1 rw - cgroup cgroup rw,pids\n" +
            "2 0 0:2 / /v2 rw - cgroup2 cgroup2 rw\n",
        ["/proc/self/cgroup"] = "1:pids:/app\n0::/pod/app\n",
    };

    [Theory]
    [InlineData("/v1/app/pids.max")]
    [InlineData("/v2/pod/app/pids.max")]
    [InlineData("/v2/pod/pids.max")]
    public void The_limit_is_its_own_or_that_of_a_cgroup_above(string file)
    {
        _files["/v2/pids.max"] = "max\n";
        _files[file] = "100\n";

        Assert.Equal(100, ThreadLimit.Smallest(_files.GetValueOrDefault));
    }

    [Fact]
    public void Where_nobody_says_otherwise_there_is_none() => Assert.Equal(long.MaxValue, ThreadLimit.Smallest(_files.GetValueOrDefault));

    [Theory]
    [InlineData(100, 2, 33)]
    [InlineData(20, 2, 1)]
    [InlineData(long.MaxValue, 2, int.MaxValue)]
    public void Spare_threads_and_the_pool_have_half_each_of_what_nobody_else_needs(long most, int workers, int each) =>
        Assert.Equal(each, ThreadLimit.ShareOf(most, workers));
}
