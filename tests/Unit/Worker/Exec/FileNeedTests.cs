using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class FileNeedTests
{
    [Theory]
    [InlineData(300)]
    [InlineData(412, 4)]
    [InlineData(4096, 600, 600)]
    public void What_fits_is_not_warned_of(long most, params int[] commands) => Assert.Null(Warning(most, commands));

    [Fact]
    public void Commands_that_need_more_files_than_may_be_open_are_warned_of_with_both_cures() =>
        Assert.Equal(
            "1024 files may be open here, and 1027 are wanted: 400 for the process, and 3 for each of 209 commands at once (Worker__Exec__Processes). "
            + "Raise the limit (ulimit -n), or set Worker__Exec__Processes to 208 or less.",
            Warning(1024, 209));

    [Fact]
    public void Each_queue_has_commands_of_its_own() =>
        Assert.Equal(
            "1024 files may be open here, and 1600 are wanted: 400 for the process, and 3 for each of 400 commands at once (Worker__Exec__Processes, of all queues together). "
            + "Raise the limit (ulimit -n), or set Worker__Exec__Processes to 104 or less.",
            Warning(1024, 300, 100));

    [Fact]
    public void Where_hardly_the_process_fits_fewer_commands_are_no_cure() =>
        Assert.EndsWith("Raise the limit (ulimit -n).", Warning(256, 1), StringComparison.Ordinal);

    private static string? Warning(long most, params int[] commands) => FileNeed.Warning(most, commands)?.Text;
}
