using System.Collections.Concurrent;

namespace Holdfast.Worker.Exec;

/// <summary>Starts processes, and outlives none of them: those that still run when it is disposed are ended, as far as they can be.</summary>
internal sealed class Children(ExecCommand command, TimeSpan grace, SendSignal send, TimeProvider time, ILogger log) : IAsyncDisposable
{
    private readonly ConcurrentDictionary<ChildProcess, bool> _living = [];

    public ChildProcess Start(IEnumerable<KeyValuePair<string, string>> variables)
    {
        var child = ChildProcess.Start(command.Start(variables), send, time, log, gone => _living.TryRemove(gone, out _));
        _living.TryAdd(child, true);
        return child;
    }

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_living.Keys.Select(child => child.EndAsync(grace)));
}
