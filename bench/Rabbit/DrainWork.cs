using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>Counts messages out: from the end of the warm-up to the last one.</summary>
internal sealed class DrainWork(int warmUp, int messages) : IWork
{
    private readonly TaskCompletionSource _done = new();
    private int _count;
    private (long At, TimeSpan Cpu, long Bytes) _start;
    private (long At, TimeSpan Cpu, long Bytes) _end;

    public ValueTask HandleAsync(int number, long sentAt)
    {
        var count = Interlocked.Increment(ref _count);
        if (count == warmUp)
        {
            _start = Look();
        }
        else if (count == warmUp + messages)
        {
            _end = Look();
            _done.SetResult();
        }

        return ValueTask.CompletedTask;
    }

    public Finding Wait(TimeSpan limit)
    {
        if (!_done.Task.Wait(limit))
            throw new TimeoutException($"Only {_count:#,0} of {warmUp + messages:#,0} messages came within {limit}.");

        return new()
        {
            Elapsed = Stopwatch.GetElapsedTime(_start.At, _end.At),
            Cpu = _end.Cpu - _start.Cpu,
            Bytes = _end.Bytes - _start.Bytes,
            Handled = _count,
        };
    }

    private static (long At, TimeSpan Cpu, long Bytes) Look() =>
        (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime, GC.GetTotalAllocatedBytes());
}
