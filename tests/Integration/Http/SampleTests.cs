using System.Diagnostics;
using System.Net;
using System.Text;
using System.Text.Json;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The sample endpoint, and a worker that posts to it, each in its own process, as a person runs them.</summary>
public sealed class SampleTests
{
    private const string Key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private const string Order = """{"number":1}""";
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

        foreach (var id in new[] { "a", "b", "a", "c", "a" })
            Assert.Equal(HttpStatusCode.NoContent, await PostAsync(url, ("ce-id", id)));

        endpoint.Kill();
        var handled = await endpoint.StandardOutput.ReadToEndAsync();
        Assert.Equal(["a", "b", "c", "a"], handled.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(':')[0]));
    }

    [Fact]
    public async Task Orders_of_two_sources_may_have_the_same_id()
    {
        Assert.SkipUnless(Programs.IsInstalled("node"), "Node is not installed.");
        using var endpoint = Start(("REMEMBERED", "10"));
        var url = (await endpoint.StandardOutput.ReadLineAsync())!.Split(' ')[^1];

        foreach (var source in new[] { "shop", "bank", "shop" })
            Assert.Equal(HttpStatusCode.NoContent, await PostAsync(url, ("ce-source", source), ("ce-id", "a%201")));

        endpoint.Kill();
        var handled = await endpoint.StandardOutput.ReadToEndAsync();
        Assert.Equal(["a 1", "a 1"], handled.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(':')[0]));
    }

    [Fact]
    public async Task With_a_key_an_order_is_known_by_the_id_that_is_signed()
    {
        Assert.SkipUnless(Programs.IsInstalled("node"), "Node is not installed.");
        using var endpoint = Start(("SIGNING_KEY", Key));
        var url = (await endpoint.StandardOutput.ReadLineAsync())!.Split(' ')[^1];

        foreach (var (signed, unsigned) in new[] { ("a", "1"), ("a", "2"), ("b", "3") })
        {
            var timestamp = $"{DateTimeOffset.UtcNow.ToUnixTimeSeconds()}";
            var signature = Signature.Parse(Key).Of(signed, timestamp, Encoding.UTF8.GetBytes(Order));
            Assert.Equal(HttpStatusCode.NoContent, await PostAsync(url, ("ce-source", "shop"), ("ce-id", unsigned), (Signature.Id, signed), (Signature.Timestamp, timestamp), (Signature.Name, signature)));
        }

        endpoint.Kill();
        var handled = await endpoint.StandardOutput.ReadToEndAsync();
        Assert.Equal(["1", "3"], handled.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(':')[0]));
    }

    [Fact]
    public async Task An_id_that_can_t_be_decoded_is_refused_and_the_endpoint_lives_on()
    {
        Assert.SkipUnless(Programs.IsInstalled("node"), "Node is not installed.");
        using var endpoint = Start(("REMEMBERED", "10"));
        var url = (await endpoint.StandardOutput.ReadLineAsync())!.Split(' ')[^1];

        Assert.Equal(HttpStatusCode.BadRequest, await PostAsync(url, ("ce-id", "100%")));
        Assert.Equal(HttpStatusCode.NoContent, await PostAsync(url, ("ce-id", "100%25")));
        endpoint.Kill();
    }

    // An attempt that failed, or a warning; but the engine and the web server have some of their own on a busy machine.
    private static bool IsOfTheHandler(JsonElement line) =>
        line.TryGetProperty("attempt", out _)
        || (line.GetProperty("level").GetString() != "information" && line.GetProperty("category").GetString() is var category && category != "Holdfast" && !category!.StartsWith("Microsoft.", StringComparison.Ordinal));

    private static async Task<HttpStatusCode> PostAsync(string url, params (string Name, string Value)[] headers)
    {
        using var client = new HttpClient();
        using var order = new StringContent(Order);
        foreach (var (name, value) in headers)
            order.Headers.TryAddWithoutValidation(name, value);
        using var answer = await client.PostAsync(url, order);
        return answer.StatusCode;
    }

    private static Process Start((string Name, string Value) variable)
    {
        var start = new ProcessStartInfo("node", [SourceTree.Find("samples/http/endpoint.mjs")]) { RedirectStandardOutput = true };
        (start.Environment["PORT"], start.Environment[variable.Name]) = ("0", variable.Value);
        return Process.Start(start)!;
    }
}
