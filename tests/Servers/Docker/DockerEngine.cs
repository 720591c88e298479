using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Holdfast.Tests.Servers.Docker;

/// <summary>
/// A Docker engine on this machine: the one that answers already, at DOCKER_HOST or its usual socket, or one of our own.
/// What is run on it is to be removed by whoever ran it; one of our own ends with all that is left on it.
/// </summary>
public sealed partial class DockerEngine : IAsyncDisposable
{
    private const string HowToInstall = "There is no Docker engine here that answers, and none can be started: that takes docker.io (bash .ci/install brings it) and root.";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly DockerDaemon? _daemon;

    private DockerEngine(DockerDaemon? daemon) => _daemon = daemon;

    /// <exception cref="DockerMissingException">There is none, and none can be started.</exception>
    public static async Task<DockerEngine> StartAsync()
    {
        if (!Programs.IsInstalled("docker"))
            throw new DockerMissingException(HowToInstall);

        var existing = new DockerEngine(null);
        if (await existing.IsHereAsync())
            return existing;
        return DockerDaemon.IsPossible ? await StartOwnAsync() : throw new DockerMissingException(HowToInstall);
    }

    /// <summary>A program that speaks to this engine.</summary>
    public ProcessStartInfo Command(string program, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program, arguments);
        if (_daemon is not null)
            start.Environment["DOCKER_HOST"] = _daemon.Host;
        return start;
    }

    /// <summary>Runs <c>docker</c>, and returns what it wrote.</summary>
    public Task<string> DockerAsync(params IEnumerable<string> arguments) => Command("docker", arguments).OutputAsync();

    public async ValueTask DisposeAsync()
    {
        if (_daemon is not null)
            await _daemon.DisposeAsync();
    }

    private static async Task<DockerEngine> StartOwnAsync()
    {
        var daemon = new DockerDaemon();
        var engine = new DockerEngine(daemon);
        using var patience = new CancellationTokenSource(s_patience);
        while (!await engine.IsHereAsync())
        {
            if (daemon.HasEnded || patience.IsCancellationRequested)
            {
                var log = daemon.LogTail;
                await engine.DisposeAsync();
                throw new DockerMissingException($"dockerd {(daemon.HasEnded ? "ended while it started" : "did not start")}. Its log ends with:\n{log}", isRefused: Refusal().IsMatch(log));
            }

            await Task.Delay(s_pause);
        }

        return engine;
    }

    // One on another machine, or in a virtual one, would not reach what tests listen on.
    private async Task<bool> IsHereAsync() =>
        await Command("docker", "info", "--format", "{{.Name}}").RunAsync() is { Code: 0, Output: var name } && name.Trim() == Environment.MachineName;

    [GeneratedRegex("not permitted|permission denied|not supported|not implemented|isn't mounted|no such device|does not exist", RegexOptions.IgnoreCase)]
    private static partial Regex Refusal();
}
