using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class FileLimitTests
{
    private const string Limits = """
        Limit                     Soft Limit           Hard Limit           Units
        Max processes             94113                94113                processes
        Max open files            1024                 4096                 files
        Max locked memory         8388608              8388608              bytes
        """;

    [Fact]
    public void The_limit_is_what_the_system_says_at_the_most() => Assert.Equal(4096, FileLimit.Of(Limits));

    [Theory]
    [InlineData(null)]
    [InlineData("Max processes             94113                94113                processes")]
    [InlineData("Max open files            unlimited            unlimited            files")]
    public void Where_the_system_tells_of_none_there_is_none(string? limits) => Assert.Equal(long.MaxValue, FileLimit.Of(limits));

    [Theory]
    [InlineData(64, 1)]
    [InlineData(512, 28)]
    [InlineData(1024, 156)]
    [InlineData(long.MaxValue, int.MaxValue)]
    public void Threads_that_are_watched_leave_files_to_all_else(long most, int threads) => Assert.Equal(threads, FileLimit.ThreadsFor(most));
}
