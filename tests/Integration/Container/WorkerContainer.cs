using Holdfast.Tests.Servers.Docker;

namespace Holdfast.Tests.Integration.Container;

/// <summary>A container of the worker's image, run with as few rights as docs/container.md gives it. It is removed at the end.</summary>
internal sealed class WorkerContainer : IAsyncDisposable
{
    private static readonly string[] s_rights = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];

    private readonly DockerEngine _engine;
    private readonly string _name;

    private WorkerContainer(DockerEngine engine, string name) => (_engine, _name) = (engine, name);

    public static async Task<WorkerContainer> StartAsync(DockerEngine engine, string network, IEnumerable<string> options, params IEnumerable<(string Name, string Value)> settings)
    {
        var name = $"holdfast-{Guid.NewGuid():N}";
        var environment = settings.SelectMany(setting => new[] { "--env", $"{setting.Name}={setting.Value}" });
        await engine.DockerAsync(["run", "--detach", "--name", name, "--network", network, .. s_rights, .. options, .. environment, "holdfast"]);
        return new WorkerContainer(engine, name);
    }

    /// <summary>The programs that run in it: process, user and command line.</summary>
    public async Task<string[]> ProcessesAsync() => Lines(await _engine.DockerAsync("top", _name, "-o", "pid,uid,args"))[1..];

    /// <summary>Runs a command of the worker's program beside it.</summary>
    public Task<ProgramRun> CommandAsync(params IEnumerable<string> arguments) =>
        _engine.Command("docker", ["exec", _name, "dotnet", "Holdfast.Worker.dll", .. arguments]).RunAsync();

    /// <summary>What it has written so far, line by line, as Kubernetes would take it for a termination message.</summary>
    public async Task<string[]> LogAsync()
    {
        // Docker tells both outputs apart; in time they are one.
        var log = await _engine.Command("docker", "logs", "--timestamps", _name).RunAsync();
        return [.. Lines(log.Output + log.Error).Order(StringComparer.Ordinal).Select(line => line[(line.IndexOf(' ') + 1)..])];
    }

    public Task StopAsync() => _engine.DockerAsync("stop", "--time", "60", _name);

    /// <summary>Waits for its end; tells its exit code and its log.</summary>
    public async Task<(int Code, string[] Log)> EndAsync() => (int.Parse(await _engine.DockerAsync("wait", _name)), await LogAsync());

    public async ValueTask DisposeAsync() => await _engine.DockerAsync("rm", "--force", "--volumes", _name);

    private static string[] Lines(string text) => text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
}
