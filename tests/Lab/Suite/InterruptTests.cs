using System.Diagnostics;
using Holdfast.Lab;

namespace Holdfast.Tests.Lab.Suite;

public sealed class InterruptTests
{
    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task The_program_ends_with_130_and_leaves_no_file(string signal)
    {
        using var folder = new TempFolder();
        using var program = OwnProcess.Start(typeof(Catalog).Assembly, ["inline", "--output", folder.Path]);
        Assert.StartsWith("inline:", await program.StandardOutput.ReadLineAsync());

        using var kill = Process.Start("kill", [$"-{signal}", $"{program.Id}"]);
        await program.WaitForExitAsync();

        Assert.Equal(130, program.ExitCode);
        Assert.Empty(folder.Files);
    }
}
