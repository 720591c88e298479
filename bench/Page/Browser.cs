using System.Diagnostics;
using System.Text.Json;
using Holdfast.Tests.Servers;

namespace Holdfast.Bench;

/// <summary>Chromium, driven by the script that tests/Page has for it.</summary>
internal static class Browser
{
    public const string HowToInstall = "the page is measured in Chromium, which needs Node.js 20, chromium and the packages of tests/Page; bash .ci/install brings them.";

    private static readonly string s_folder = SourceTree.Find("tests/Page");

    public static bool IsInstalled =>
        Directory.Exists(Path.Combine(s_folder, "node_modules", "playwright-core")) && Programs.AreInstalled("node", "chromium");

    /// <summary>Opens the page, waits until it shows that many leases, and tells how busy its main thread is, once for each round.</summary>
    public static async Task<Found[]> ShowAsync(Uri address, int leases, TimeSpan round, int rounds)
    {
        using var process = Process.Start(new ProcessStartInfo("node", [Path.Combine(s_folder, "measure.mjs"), $"{address}", $"{leases}", $"{round.TotalSeconds}", $"{rounds}"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        var error = process.StandardError.ReadToEndAsync();
        var lines = (await process.StandardOutput.ReadToEndAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        await process.WaitForExitAsync();
        return process.ExitCode == 0 ? [.. lines.Select(line => JsonSerializer.Deserialize<Found>(line, JsonSerializerOptions.Web)!)] : throw new InvalidOperationException(await error);
    }

    /// <summary>Parts of the time that the main thread was at work at all, and at what.</summary>
    internal sealed record Found(double Busy, double Script, double Style, double Layout, int Leases);
}
