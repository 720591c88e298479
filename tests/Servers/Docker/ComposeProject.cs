using System.Diagnostics;

namespace Holdfast.Tests.Servers.Docker;

/// <summary>What compose files bring up, under a name of its own. A keeper takes all of it down when it is told to, or when this process is gone.</summary>
public sealed class ComposeProject : IAsyncDisposable
{
    // The pipe to the keeper closes with this process, however that ends.
    private const string Keeper = """
        cat >/dev/null
        exec "$@" down --volumes --remove-orphans --timeout 0 >/dev/null 2>&1
        """;

    private readonly DockerEngine _engine;
    private readonly string[] _compose;
    private readonly IReadOnlyDictionary<string, string> _environment;
    private readonly Process _keeper;

    /// <param name="engine">Where it runs.</param>
    /// <param name="files">As a person would name them, the later ones on top of the earlier.</param>
    /// <param name="environment">What the files ask for.</param>
    public ComposeProject(DockerEngine engine, IEnumerable<string> files, IReadOnlyDictionary<string, string> environment)
    {
        (_engine, _environment) = (engine, environment);
        _compose =
        [
            .. Programs.IsInstalled("docker-compose") ? ["docker-compose"] : new[] { "docker", "compose" },
            "--project-name", Name,
            .. files.SelectMany(file => new[] { "--file", file }),
        ];
        var start = Command("setsid", ["sh", "-c", Keeper, "keeper", .. _compose]);
        start.RedirectStandardInput = true;
        _keeper = Process.Start(start)!;
    }

    public string Name { get; } = $"holdfast-{Guid.NewGuid():N}";

    /// <summary>Runs <c>docker-compose</c>, and returns what it wrote.</summary>
    public Task<string> ComposeAsync(params IEnumerable<string> arguments) => Command(_compose[0], [.. _compose[1..], .. arguments]).OutputAsync();

    /// <summary>The containers of a service that run.</summary>
    public async Task<IReadOnlyList<string>> ContainersAsync(string service)
    {
        var running = await _engine.DockerAsync(
            "ps", "--quiet", "--no-trunc", "--filter", $"label=com.docker.compose.project={Name}", "--filter", $"label=com.docker.compose.service={service}");
        return running.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>Where a port of a service's only container is published: an address and a port.</summary>
    public async Task<string> AddressAsync(string service, int port) => (await ComposeAsync("port", service, $"{port}")).Trim();

    public async ValueTask DisposeAsync()
    {
        _keeper.StandardInput.Close();
        await _keeper.WaitForExitAsync();
        _keeper.Dispose();
    }

    private ProcessStartInfo Command(string program, IEnumerable<string> arguments)
    {
        var start = _engine.Command(program, arguments);
        foreach (var (variable, value) in _environment)
            start.Environment[variable] = value;
        return start;
    }
}
