using System.Diagnostics;

namespace Holdfast.Worker.Exec;

/// <summary>A command that runs, and whatever it has started in its turn: one process group, which ends as a whole. On the pool.</summary>
internal sealed class ChildProcess : IAsyncDisposable
{
    /// <summary>How long what it has written is still read once it has ended: whoever has left its group may keep its output open for ever.</summary>
    public static readonly TimeSpan LastOutput = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan s_lookEvery = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_longestDeath = TimeSpan.FromSeconds(5);

    private readonly Process _process;
    private readonly int _id;
    private readonly SendSignal _send;
    private readonly TimeProvider _time;
    private readonly ILogger _log;
    private readonly Action<ChildProcess> _gone;
    private readonly Lazy<Task> _killed;
    private volatile bool _mayCleanUp;

    private ChildProcess(Process process, SendSignal send, TimeProvider time, ILogger log, Action<ChildProcess> gone)
    {
        (_process, _id, _send, _time, _log, _gone) = (process, process.Id, send, time, log, gone);
        _killed = new(KillAsync);
        Exited = ExitAsync();
    }

    public Stream Output => _process.StandardOutput.BaseStream;

    public Stream Error => _process.StandardError.BaseStream;

    /// <summary>Completes with its exit code, once nothing of its group is left; never where it was left running.</summary>
    public Task<int> Exited { get; }

    /// <exception cref="CommandFailedException">The system has no process to give.</exception>
    public static ChildProcess Start(ProcessStartInfo start, SendSignal send, TimeProvider time, ILogger log, Action<ChildProcess> gone)
    {
        try
        {
            return new(Process.Start(start)!, send, time, log, gone);
        }
        catch (Exception refused)
        {
            throw new CommandFailedException(StartRefusal.Describe(refused));
        }
    }

    /// <summary>Writes to its input, and tells whether it took it all. It need not: what it does not take is nobody's concern.</summary>
    public async Task<bool> FeedAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancel)
    {
        try
        {
            await Input.WriteAsync(bytes, cancel);
            return true;
        }
        catch (Exception ended) when (ended is IOException or OperationCanceledException or ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>Tells it that there is no more to read.</summary>
    public void CloseInput() => Close(Input);

    /// <summary>Asks the group to end, and after the grace ends it. What can't be ended is left running, and told.</summary>
    public async Task EndAsync(TimeSpan grace)
    {
        _mayCleanUp = true;
        Signal(Signals.Terminate);
        await Exited.AtMostAsync(grace, _time);
        _mayCleanUp = false;
        await _killed.Value;
    }

    public async ValueTask DisposeAsync()
    {
        await _killed.Value;
        foreach (var stream in new[] { Input, Output, Error })
            Close(stream);
        _process.Dispose();
        _gone(this);
    }

    private Stream Input => _process.StandardInput.BaseStream;

    // Whoever it has started and left behind is its own, and goes with it: at once, unless all of them were told to end.
    // Then a shell is gone before whoever works for it has cleaned up.
    private async Task<int> ExitAsync()
    {
        await _process.WaitForExitAsync();
        while (_mayCleanUp && SignalGroup(Signals.Probe))
            await Task.Delay(s_lookEvery, _time);
        SignalGroup(Signals.Kill);
        return _process.ExitCode;
    }

    // What is still to be written has nobody to read it.
    private static void Close(Stream stream)
    {
        try
        {
            stream.Dispose();
        }
        catch (IOException)
        {
        }
    }

    // The system ends no process of another user for us, and none at once that waits within it. Messages and the worker's end can't wait for such.
    private async Task KillAsync()
    {
        var error = Signal(Signals.Kill);
        await Exited.AtMostAsync(s_longestDeath, _time);
        if (Exited.IsCompleted)
            return;

        // What was started is the starter; the command is what that was told to start.
        var command = _process.StartInfo.ArgumentList[0];
        if (error == Signals.NotPermitted)
            _log.IsAnothersOwn(_id, command);
        else
            _log.DoesNotDie(_id, command, s_longestDeath.TotalSeconds);
    }

    // In the moment before it has a group of its own there is only itself; and once it is gone, its number may be another's.
    private int Signal(int signal) => Exited.IsCompleted || SignalGroup(signal) ? 0 : _send(_id, signal);

    private bool SignalGroup(int signal) => _send(-_id, signal) == 0;
}
