using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class CgroupTests
{
    private const string V2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    private const string V1 = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct\n";
    private const string Other = "1 0 8:1 / / rw - ext4 /dev/root rw\n35 31 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

    [Fact]
    public void V2_goes_from_the_own_cgroup_up_to_the_root() =>
        Assert.Equal(
            ["/sys/fs/cgroup/pods/one/app", "/sys/fs/cgroup/pods/one", "/sys/fs/cgroup/pods", "/sys/fs/cgroup"],
            Folders(Other + V2, "0::/pods/one/app\n"));

    [Fact]
    public void V1_follows_the_hierarchy_of_the_cpu_and_no_other() =>
        Assert.Equal(
            ["/sys/fs/cgroup/cpu,cpuacct/app", "/sys/fs/cgroup/cpu,cpuacct"],
            Folders(Other + V1, "5:cpuset:/set\n4:cpuacct,cpu:/app\n1:name=systemd:/init\n"));

    [Fact]
    public void A_hybrid_gives_the_folders_of_both() =>
        Assert.Equal(
            ["/sys/fs/cgroup/cpu,cpuacct", "/unified/app", "/unified"],
            Folders(V1 + V2.Replace("/sys/fs/cgroup", "/unified"), "4:cpu,cpuacct:/\n0::/app\n"));

    [Fact]
    public void A_path_is_taken_relative_to_what_is_mounted() =>
        Assert.Equal(
            ["/sys/fs/cgroup/inner", "/sys/fs/cgroup"],
            Folders(V2.Replace(" / ", " /docker/1f "), "0::/docker/1f/inner\n"));

    [Theory]
    [InlineData("/", "/../other")]
    [InlineData("/docker/1f", "/docker/1f2")]
    [InlineData("/../..", "/")]
    public void A_path_outside_of_what_is_mounted_leaves_the_root_of_the_mount(string mounted, string path) =>
        Assert.Equal(["/sys/fs/cgroup"], Folders(V2.Replace(" / ", $" {mounted} "), $"0::{path}\n"));

    [Fact]
    public void Of_two_mounts_the_one_that_holds_the_path_counts() =>
        Assert.Equal(
            ["/sys/fs/cgroup/app", "/sys/fs/cgroup"],
            Folders(V2.Replace(" / /sys/fs", " /elsewhere /mnt") + V2, "0::/app\n"));

    [Fact]
    public void A_cgroup_may_have_a_colon_in_its_name() =>
        Assert.Equal(["/sys/fs/cgroup/a:b", "/sys/fs/cgroup"], Folders(V2, "0::/a:b\n"));

    [Theory]
    [InlineData(null, null)]
    [InlineData(V2, null)]
    [InlineData(null, "0::/app\n")]
    [InlineData("", "")]
    [InlineData("30 24 - cgroup2\n - \nnonsense", "0::/app\n")]
    [InlineData(V2, "nonsense\n0:\n\n")]
    [InlineData(V1, "0::/app\n")]
    public void Missing_or_malformed_files_give_nothing(string? mounts, string? cgroups) =>
        Assert.Empty(Folders(mounts, cgroups));

    private static List<string> Folders(string? mounts, string? cgroups) =>
        Cgroup.Folders(path => path switch
        {
            "/proc/self/mountinfo" => mounts,
            "/proc/self/cgroup" => cgroups,
            _ => null,
        });
}
