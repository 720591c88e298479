using System.Text.Json;
using System.Text.RegularExpressions;
using Holdfast.Tests.Integration.Docker;

namespace Holdfast.Tests.Integration.Container;

/// <summary>What is in the image, and that it runs where next to nothing is allowed.</summary>
[Collection(nameof(Alone))]
public sealed class ImageTests(DockerHost docker)
{
    [Fact]
    public async Task It_says_what_it_is_and_is_nobody_special()
    {
        var engine = await docker.WithImagesAsync();

        var config = JsonDocument.Parse(await engine.DockerAsync("inspect", "--format", "{{json .Config}}", "holdfast")).RootElement;

        var labels = config.GetProperty("Labels");
        Assert.Matches(@"^\d+\.\d+\.\d+$", labels.GetProperty("org.opencontainers.image.version").GetString());
        Assert.Matches("^([0-9a-f]{40}(-dirty)?|unknown)$", labels.GetProperty("org.opencontainers.image.revision").GetString());
        Assert.Equal("1654:1654", config.GetProperty("User").GetString());
        Assert.Equal("""["dotnet","Holdfast.Worker.dll"]""", config.GetProperty("Entrypoint").GetRawText());
        Assert.Equal("""{"8080/tcp":{}}""", config.GetProperty("ExposedPorts").GetRawText());
        Assert.Equal("SIGTERM", config.GetProperty("StopSignal").GetString());
    }

    [Fact]
    public async Task Its_version_is_the_one_on_its_label()
    {
        var engine = await docker.WithImagesAsync();

        var label = await engine.DockerAsync("inspect", "--format", """{{index .Config.Labels "org.opencontainers.image.version"}}""", "holdfast");

        Assert.Equal(label, await engine.DockerAsync("run", "--rm", "--network", "none", "holdfast", "--version"));
    }

    [Fact]
    public async Task It_needs_no_shell()
    {
        var engine = await docker.WithImagesAsync();

        var shell = await engine.Command("docker", "run", "--rm", "--network", "none", "--entrypoint", "sh", "holdfast", "-c", "true").RunAsync();

        Assert.Equal(127, shell.Code);
    }

    [Fact]
    public async Task Without_a_writable_file_or_a_right_it_handles_messages_and_a_stop_drains_it()
    {
        var engine = await docker.WithImagesAsync();
        await using var worker = await WorkerContainer.StartAsync(
            engine, "none", [], ("Worker__Demo__IoMilliseconds", "10"), ("Worker__Demo__CpuMilliseconds", "1"), ("Worker__Demo__Produce", "50"));

        await Eventually.HoldsAsync("messages to be handled", async () => (await worker.LogAsync()).Any(line => Regex.IsMatch(line, @"orders +[1-9]\S* msg/s")));
        Assert.Matches(@"^\d+ +1654 +dotnet Holdfast\.Worker\.dll$", Assert.Single(await worker.ProcessesAsync()));
        await worker.StopAsync();
        var (code, log) = await worker.EndAsync();

        Assert.Equal(0, code);
        Assert.Matches(@"Stopped\. orders: settled (\d+) of \1 \(completed \1, given back 0", log[^1]);
    }
}
