using Holdfast.Tests.Integration.Docker;
using Holdfast.Tests.Servers.Docker;

[assembly: AssemblyFixture(typeof(DockerHost))]

namespace Holdfast.Tests.Integration.Docker;

/// <summary>
/// The Docker engine that all tests share, and on it the images, both made when the first test asks for them.
/// Without an engine tests are skipped; but where CI is true they fail, unless it is the kernel that allows none.
/// </summary>
public sealed class DockerHost : IAsyncDisposable
{
    private readonly Lazy<Task<DockerEngine>> _engine = new(DockerEngine.StartAsync);
    private readonly Lazy<Task> _images;

    public DockerHost() => _images = new(BuildAsync);

    /// <summary>The engine. Skips the test where there is none.</summary>
    public async Task<DockerEngine> EngineAsync()
    {
        try
        {
            return await _engine.Value;
        }
        catch (DockerMissingException missing)
        {
            Assert.SkipWhen(missing.IsRefused, missing.Message);
            RabbitServer.Need(missing.Message);
            throw;
        }
    }

    /// <summary>The engine, with the worker's image and those that stand in for what can't be pulled. Skips the test where there is no engine.</summary>
    public async Task<DockerEngine> WithImagesAsync()
    {
        var engine = await EngineAsync();
        await _images.Value;
        return engine;
    }

    public async ValueTask DisposeAsync()
    {
        if (_engine is { IsValueCreated: true, Value.IsCompletedSuccessfully: true })
            await (await _engine.Value).DisposeAsync();
    }

    // As a person does who can pull nothing.
    private async Task BuildAsync()
    {
        var engine = await _engine.Value;
        await engine.Command("make", "--directory", SourceTree.Find(""), "image", "BASES=debian").OutputAsync();
        await engine.Command("bash", SourceTree.Find("deploy/compose/debian-servers")).OutputAsync();
    }
}
