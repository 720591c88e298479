using System.Diagnostics;
using System.Text.RegularExpressions;
using Holdfast.Tests.Servers;

namespace Holdfast.Bench;

/// <summary>The worker's files as the image for a kind of processor holds them, in a folder of their own.</summary>
internal sealed partial class PublishedWorker : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(5);

    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-start-").FullName;

    private PublishedWorker()
    {
    }

    public double Megabytes => new DirectoryInfo(Files).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length) / 1e6;

    private string Files => Path.Combine(_folder, "app");

    /// <summary>Publishes it from its sources as the image holds it, or so but not compiled ahead. What is built on the way lies apart from what was built before.</summary>
    public static async Task<PublishedWorker> PublishAsync(bool isCompiledAhead)
    {
        var published = new PublishedWorker();
        string[] publish = ["publish", "src/Worker", "--configuration", "Release", "--artifacts-path", published._folder, "--output", published.Files, "-p:ImageFor=amd64", $"-p:PublishReadyToRun={isCompiledAhead}"];
        await new ProcessStartInfo("dotnet", publish) { WorkingDirectory = SourceTree.Find("") }.OutputAsync();
        return published;
    }

    /// <summary>Starts it, and returns once it has taken its first message.</summary>
    public async Task<Beginning> BeginAsync()
    {
        var clock = Stopwatch.StartNew();
        var start = new ProcessStartInfo("dotnet", [Path.Combine(Files, "Holdfast.Worker.dll")]) { RedirectStandardOutput = true };
        start.Environment["ASPNETCORE_HTTP_PORTS"] = "0";
        using var process = Process.Start(start)!;
        try
        {
            using var page = new HttpClient { BaseAddress = await StatusPage.AddressAsync(process.StandardOutput) };
            while (!Received().IsMatch(await page.GetStringAsync("metrics")))
                await Task.Delay(s_pause);
            return new(clock.Elapsed.TotalSeconds, process.TotalProcessorTime.TotalSeconds);
        }
        finally
        {
            process.Kill();
            await process.WaitForExitAsync();
        }
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [GeneratedRegex("""^holdfast_messages_received_total\{.*\} [1-9]""", RegexOptions.Multiline)]
    private static partial Regex Received();
}

/// <summary>What it took a worker to come to its first message.</summary>
internal sealed record Beginning(double Seconds, double CpuSeconds);
