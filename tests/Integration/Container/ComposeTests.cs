using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using Holdfast.Tests.Integration.Docker;

namespace Holdfast.Tests.Integration.Container;

/// <summary>The compose file as it is shipped, without Grafana, whose image can't be made from Debian's packages.</summary>
[Collection(nameof(Alone))]
public sealed class ComposeTests(DockerHost docker)
{
    [Fact]
    public async Task One_command_brings_it_up_and_messages_flow_and_are_watched()
    {
        var engine = await docker.WithImagesAsync();
        await using var project = ShippedCompose.On(engine);

        await project.ComposeAsync("up", "--detach", "worker", "prometheus");

        var worker = Assert.Single(await project.ContainersAsync("worker"));
        await Eventually.HoldsAsync("the worker to be ready", async () =>
            await engine.Command("docker", "exec", worker, "dotnet", "Holdfast.Worker.dll", "health").RunAsync() is { Code: 0, Output: "ready\n" });
        using var prometheus = new HttpClient { BaseAddress = new Uri($"http://{await project.AddressAsync("prometheus", 9090)}/api/v1/") };
        await Eventually.HoldsAsync("completed messages in Prometheus", async () => await ValueAsync(prometheus, """sum(holdfast_messages_settled_total{outcome="complete"})""") > 0);
        await Eventually.HoldsAsync("RabbitMQ's own metrics", async () => await ValueAsync(prometheus, """sum(rabbitmq_queue_messages{queue="orders"})""") is not null);
        Assert.Contains("HoldfastLeaseMissesFast", await prometheus.GetStringAsync("rules"));
        Assert.Contains("http://alertmanager:9093/", await prometheus.GetStringAsync("alertmanagers"));
    }

    // Null where there is no such series.
    private static async Task<double?> ValueAsync(HttpClient prometheus, string query)
    {
        var answer = await prometheus.GetFromJsonAsync<JsonElement>($"query?query={Uri.EscapeDataString(query)}");
        return answer.GetProperty("data").GetProperty("result").EnumerateArray().Select(sample => (double?)double.Parse(sample.GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture)).FirstOrDefault();
    }
}
