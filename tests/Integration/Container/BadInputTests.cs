using Holdfast.Tests.Integration.Docker;

namespace Holdfast.Tests.Integration.Container;

/// <summary>What keeps a container from working stands in its last line, which is what Kubernetes shows of it; or, where time may heal it, readiness tells.</summary>
[Collection(nameof(Alone))]
public sealed class BadInputTests(DockerHost docker, RabbitServer server)
{
    private const int Misconfigured = 78;
    private const string Secret = "s3cret-of-nobody";

    [Fact]
    public async Task A_missing_secret_is_named()
    {
        var log = await EndsAsync(Misconfigured, "none", [], ("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"));

        Assert.StartsWith("ConnectionStrings__RabbitMq: It is not set; ", Assert.Single(log));
    }

    [Fact]
    public async Task A_volume_that_can_not_be_written_to_is_named()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-volume-").FullName;
        try
        {
            var log = await EndsAsync(Misconfigured, "none", ["--volume", $"{folder}:/data:ro"], ("Worker__Idempotency__Path", "/data/completed.db"));

            Assert.StartsWith("Worker__Idempotency__Path: /data/completed.db can't be opened", Assert.Single(log));
        }
        finally
        {
            Directory.Delete(folder);
        }
    }

    [Fact]
    public async Task A_login_that_is_refused_is_told_without_the_password()
    {
        server.IsNeeded();
        var uri = new UriBuilder(server.UriOf("/")) { UserName = "somebody", Password = Secret }.Uri.AbsoluteUri;

        var log = await EndsAsync(1, "host", [], ("ASPNETCORE_HTTP_PORTS", "0"), ("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("ConnectionStrings__RabbitMq", uri));

        Assert.StartsWith("Holdfast had to stop: ", log[^1]);
        Assert.Contains("'somebody'", log[^1]);
        Assert.Contains("ConnectionStrings__RabbitMq", log[^1]);
        Assert.DoesNotContain(log, line => line.Contains(Secret, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_broker_that_can_not_be_reached_leaves_it_alive_and_not_ready()
    {
        var engine = await docker.WithImagesAsync();
        await using var worker = await WorkerContainer.StartAsync(
            engine, "none", [], ("Worker__Broker", "RabbitMq"), ("Worker__Handler", "Demo"), ("ConnectionStrings__RabbitMq", $"amqp://somebody:{Secret}@127.0.0.1/"));

        ProgramRun? health = null;
        await Eventually.HoldsAsync("the reason to be told", async () => (health = await worker.CommandAsync("health")).Output.Contains("not connected", StringComparison.Ordinal));
        await worker.StopAsync();
        var (code, log) = await worker.EndAsync();

        Assert.Equal((1, 0), (health!.Code, code));
        Assert.StartsWith("orders is not connected: RabbitMQ at amqp://somebody@127.0.0.1:5672/ can't be reached (Connection refused).", health.Output);
        Assert.DoesNotContain(log, line => line.Contains(Secret, StringComparison.Ordinal));
    }

    private async Task<string[]> EndsAsync(int code, string network, IEnumerable<string> options, params IEnumerable<(string Name, string Value)> settings)
    {
        var engine = await docker.WithImagesAsync();
        await using var worker = await WorkerContainer.StartAsync(engine, network, options, settings);
        var (ended, log) = await worker.EndAsync();
        Assert.Equal(code, ended);
        return log;
    }
}
