using System.Diagnostics;

namespace Holdfast.Tests.Unit.Samples;

public sealed class LibrarySampleTests
{
    [Fact]
    public async Task It_pays_each_order_once_and_ends_well()
    {
        using var process = Process.Start(new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Samples.Library.dll")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = AppContext.BaseDirectory,
        })!;
        var error = process.StandardError.ReadToEndAsync();
        var lines = (await process.StandardOutput.ReadToEndAsync()).Split(Environment.NewLine);
        await process.WaitForExitAsync();

        Assert.Equal((0, ""), (process.ExitCode, await error));
        Assert.Equal(
            Enumerable.Range(1, 10).Select(n => $"invoices invoice-of-order-{n}, attempt {(n % 3 == 0 ? 2 : 1)}: paid").Order(),
            lines.Where(line => line.EndsWith("paid", StringComparison.Ordinal)).Order());
        Assert.Contains("All 10 orders are paid: 550", lines);
        Assert.Contains(lines, line => line.Contains("scribble") && line.Contains("dead_letter"));
    }
}
