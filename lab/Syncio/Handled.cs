using System.Diagnostics;

namespace Holdfast.Lab.Syncio;

/// <summary>Counts handlers that ended, and when the last one did. Any thread.</summary>
internal sealed class Handled
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Lock _gate = new();
    private int _ended;
    private long _last;

    public void Note()
    {
        lock (_gate)
        {
            _ended++;
            _last = Stopwatch.GetTimestamp();
        }
    }

    public SyncioFinding Describe(LeaseFinding? leases)
    {
        using var self = Process.GetCurrentProcess();
        lock (_gate)
            return new(_ended, _ended == 0 ? 0 : Stopwatch.GetElapsedTime(_start, _last).TotalSeconds, self.Threads.Count, leases);
    }
}
