using System.Diagnostics;
using System.Net;
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
        using var endpoint = Start(("SIGNING_KEY", Key));
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

    [Fact]
    public async Task It_remembers_the_last_orders_and_not_all()
    {
        Assert.SkipUnless(Programs.IsInstalled("node"), "Node is not installed.");
        using var endpoint = Start(("REMEMBERED", "2"));
        var url = (await endpoint.StandardOutput.ReadLineAsync())!.Split(' ')[^1];
        using var client = new HttpClient();

        foreach (var id in new[] { "a", "b", "a", "c", "a" })
        {
            using var order = new StringContent("""{"number":1}""") { Headers = { { "ce-id", id } } };
            using var answer = await client.PostAsync(url, order);
            Assert.Equal(HttpStatusCode.NoContent, answer.StatusCode);
        }

        endpoint.Kill();
        var handled = await endpoint.StandardOutput.ReadToEndAsync();
        Assert.Equal(["a", "b", "c", "a"], handled.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(':')[0]));
    }

    // An attempt that failed, or a warning; but the engine and the web server have some of their own on a busy machine.
    private static bool IsOfTheHandler(JsonElement line) =>
        line.TryGetProperty("attempt", out _)
        || (line.GetProperty("level").GetString() != "information" && line.GetProperty("category").GetString() is var category && category != "Holdfast" && !category!.StartsWith("Microsoft.", StringComparison.Ordinal));

    private static Process Start((string Name, string Value) variable)
    {
        var start = new ProcessStartInfo("node", [SourceTree.Find("samples/http/endpoint.mjs")]) { RedirectStandardOutput = true };
        (start.Environment["PORT"], start.Environment[variable.Name]) = ("0", variable.Value);
        return Process.Start(start)!;
    }
}
