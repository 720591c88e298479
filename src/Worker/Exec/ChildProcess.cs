using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Holdfast.Worker.Exec;

/// <summary>A command that runs, and whatever it has started in its turn: one process group, which ends as a whole. On the pool.</summary>
internal sealed partial class ChildProcess : IAsyncDisposable
{
    private const int Probe = 0;
    private const int Terminate = 15;
    private const int Kill = 9;
    private static readonly TimeSpan s_lookEvery = TimeSpan.FromMilliseconds(50);

    private readonly Process _process;
    private readonly int _id;
    private readonly TimeProvider _time;
    private readonly Action<ChildProcess> _gone;
    private volatile bool _mayCleanUp;

    private ChildProcess(Process process, TimeProvider time, Action<ChildProcess> gone)
    {
        (_process, _id, _time, _gone) = (process, process.Id, time, gone);
        Exited = ExitAsync();
    }

    public Stream Output => _process.StandardOutput.BaseStream;

    public Stream Error => _process.StandardError.BaseStream;

    /// <summary>Completes with its exit code, once nothing of its group is left.</summary>
    public Task<int> Exited { get; }

    /// <exception cref="CommandFailedException">The system has no process to give.</exception>
    public static ChildProcess Start(ProcessStartInfo start, TimeProvider time, Action<ChildProcess> gone)
    {
        try
        {
            return new(Process.Start(start)!, time, gone);
        }
        catch (Exception refused)
        {
            throw new CommandFailedException($"The command can't be started: {refused.Message}");
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

    /// <summary>Asks the group to end, and after the grace ends it.</summary>
    public async Task EndAsync(TimeSpan grace)
    {
        _mayCleanUp = true;
        Signal(Terminate);
        await Exited.AtMostAsync(grace, _time);
        _mayCleanUp = false;
        Signal(Kill);
        await Exited;
    }

    public async ValueTask DisposeAsync()
    {
        Signal(Kill);
        await Exited;
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
        while (_mayCleanUp && SignalGroup(Probe))
            await Task.Delay(s_lookEvery, _time);
        SignalGroup(Kill);
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

    // In the moment before it has a group of its own there is only itself; and once it is gone, its number may be another's.
    private void Signal(int signal)
    {
        if (!Exited.IsCompleted && !SignalGroup(signal))
            _ = kill(_id, signal);
    }

    private bool SignalGroup(int signal) => kill(-_id, signal) == 0;

    [LibraryImport("libc")]
    private static partial int kill(int process, int signal);
}
