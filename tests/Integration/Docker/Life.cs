using System.Collections.Concurrent;
using System.Diagnostics;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>One worker from the start of its container to its end, and what it said meanwhile.</summary>
internal sealed class Life : IDisposable
{
    private const int TailLines = 20;

    private readonly Process _follower;
    private readonly ConcurrentQueue<string> _log = new();

    public Life(string container, DateTimeOffset startedAt, ProcessStartInfo logs)
    {
        (Container, StartedAt) = (container, startedAt);
        logs.RedirectStandardOutput = logs.RedirectStandardError = true;
        _follower = Process.Start(logs)!;
        _follower.OutputDataReceived += (_, line) => Note(line.Data);
        _follower.ErrorDataReceived += (_, line) => Note(line.Data);
        _follower.BeginOutputReadLine();
        _follower.BeginErrorReadLine();
    }

    public string Container { get; }

    public DateTimeOffset StartedAt { get; }

    /// <summary>Its addresses in all networks that it has been in.</summary>
    public HashSet<string> Addresses { get; } = [];

    /// <summary>Whether it had no chance to tell its last.</summary>
    public bool WasKilled { get; set; }

    public IReadOnlyCollection<string> Log => _log;

    /// <summary>How many misses it has logged.</summary>
    public int Misses => _log.Count(line => line.Contains("Lease missed (", StringComparison.Ordinal));

    /// <summary>How its log ends.</summary>
    public string Story() => $"{this}, from {StartedAt:T}, at {string.Join(", ", Addresses)}:\n{string.Join('\n', _log.TakeLast(TailLines))}";

    public override string ToString() => $"Worker {Container[..12]}";

    /// <summary>Waits for its end, and for all that it has said.</summary>
    public Task EndAsync() => _follower.WaitForExitAsync();

    public void Dispose()
    {
        _follower.Kill();
        _follower.Dispose();
    }

    private void Note(string? line)
    {
        if (line is not null)
            _log.Enqueue(line);
    }
}
