using System.ComponentModel;
using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class StartRefusalTests
{
    [Theory]
    [InlineData(24, "Too many open files", "Raise the limit of open files (ulimit -n), or lower Worker__Exec__Processes")]
    [InlineData(23, "Too many open files in system", "Raise the limit of open files (ulimit -n), or lower Worker__Exec__Processes")]
    [InlineData(11, "Resource temporarily unavailable", "Raise the limit of processes (ulimit -u, --pids-limit), or lower Worker__Exec__Processes")]
    public void A_limit_that_is_met_is_told_with_its_cure(int error, string text, string cure) =>
        Assert.Equal($"The command can't be started: {text}. {cure}", StartRefusal.Describe(new Win32Exception(error, text)));

    [Fact]
    public void What_else_the_system_says_is_told_as_it_is() =>
        Assert.Equal("The command can't be started: No such file or directory", StartRefusal.Describe(new Win32Exception(2, "No such file or directory")));
}
