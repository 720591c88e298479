using System.Diagnostics;
using System.Text.Json;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The sample endpoint, and a worker that posts to it, each in its own process, as a person runs them.</summary>
public sealed class SampleTests
{
    private const string Key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private const int Orders = 12;

    [Fact]
    public async Task It_handles_each_order_once_and_a_busy_one_when_it_comes_again()
    {
        Assert.SkipUnless(Programs.IsInstalled("node"), "Node is not installed.");
        using var endpoint = Start();
        var handled = new List<string>();
        var url = (await endpoint.StandardOutput.ReadLineAsync())!.Split(' ')[^1];

        using var worker = WorkerProcess.Start(
            ("Worker__Handler", "Http"), ("Worker__Http__Url", $"{url}/orders"), ("Worker__Http__SigningKey", Key), ("Worker__Demo__Produce", "50"), ("Worker__Logs", "Json"));
        await worker.StatusPageAsync();
        while (handled.Count < Orders && await endpoint.StandardOutput.ReadLineAsync() is { } line)
            handled.Add(line);
        await worker.TerminateAsync();
        var (code, output, error) = await worker.EndAsync();
        endpoint.Kill();

        Assert.Equal((0, ""), (code, error));
        Assert.Equal(Orders, handled.Distinct().Count());
        Assert.DoesNotContain(output.Split('\n', StringSplitOptions.RemoveEmptyEntries), line => IsOfTheHandler(JsonDocument.Parse(line).RootElement));
        Assert.DoesNotContain(Key, output);
    }

    // An attempt that failed, or a warning; but the engine and the web server have some of their own on a busy machine.
    private static bool IsOfTheHandler(JsonElement line) =>
        line.TryGetProperty("attempt", out _)
        || (line.GetProperty("level").GetString() != "information" && line.GetProperty("category").GetString() is var category && category != "Holdfast" && !category!.StartsWith("Microsoft.", StringComparison.Ordinal));

    private static Process Start()
    {
        var start = new ProcessStartInfo("node", [SourceTree.Find("samples/http/endpoint.mjs")]) { RedirectStandardOutput = true };
        (start.Environment["PORT"], start.Environment["SIGNING_KEY"]) = ("0", Key);
        return Process.Start(start)!;
    }
}
