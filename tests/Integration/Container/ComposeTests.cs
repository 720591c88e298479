using System.Text.RegularExpressions;
using Holdfast.Tests.Integration.Docker;
using Holdfast.Tests.Servers.Docker;
using Holdfast.Tests.Servers.Prometheus;

namespace Holdfast.Tests.Integration.Container;

/// <summary>The compose file as it is shipped, without Grafana, whose image can't be made from Debian's packages.</summary>
[Collection(nameof(Alone))]
public sealed partial class ComposeTests(DockerHost docker)
{
    [Fact]
    public async Task One_command_brings_it_up_and_messages_flow_and_are_watched()
    {
        var engine = await docker.WithImagesAsync();
        await using var project = ShippedCompose.On(engine);

        await project.ComposeAsync("up", "--detach", "worker", "prometheus");

        await IsReadyAsync(engine, project, "worker");
        using var prometheus = new PrometheusApi(new Uri($"http://{await project.AddressAsync("prometheus", 9090)}"));
        await Eventually.HoldsAsync("completed messages in Prometheus", async () => await prometheus.QueryAsync("""sum(holdfast_messages_settled_total{outcome="complete"})""") is [> 0]);
        await Eventually.HoldsAsync("RabbitMQ's own metrics", async () => await prometheus.QueryAsync("""sum(rabbitmq_queue_messages{queue="orders"})""") is [_]);
        Assert.Contains("HoldfastLeaseMissesFast", await prometheus.AlertsAsync());
        Assert.Contains("http://alertmanager:9093/api/v2/alerts", await prometheus.AlertmanagersAsync());
    }

    [Fact]
    public async Task With_its_profile_messages_flow_through_a_broker_that_speaks_Service_Bus()
    {
        var engine = await docker.WithImagesAsync();
        await engine.Command("bash", SourceTree.Find("deploy/compose/debian-servicebus")).OutputAsync();
        await using var project = ShippedCompose.On(engine);

        await project.ComposeAsync("up", "--detach", "worker-servicebus");

        await IsReadyAsync(engine, project, "worker-servicebus");
        using var worker = new HttpClient { BaseAddress = new Uri($"http://{await project.AddressAsync("worker-servicebus", 8080)}") };
        await Eventually.HoldsAsync("completed messages", async () => HasCompleted().IsMatch(await worker.GetStringAsync("metrics")));
    }

    private static async Task IsReadyAsync(DockerEngine engine, ComposeProject project, string service)
    {
        var worker = Assert.Single(await project.ContainersAsync(service));
        await Eventually.HoldsAsync("the worker to be ready", async () =>
            await engine.Command("docker", "exec", worker, "dotnet", "Holdfast.Worker.dll", "health").RunAsync() is { Code: 0, Output: "ready\n" });
    }

    [GeneratedRegex("""^holdfast_messages_settled_total\{.*outcome="complete".*\} [1-9]""", RegexOptions.Multiline)]
    private static partial Regex HasCompleted();
}
