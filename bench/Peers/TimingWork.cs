using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>Notes how long each message took from publishing to here; those of the warm-up are forgotten.</summary>
internal sealed class TimingWork(int warmUp, int messages) : IWork
{
    private readonly TaskCompletionSource _done = new();
    private readonly double[] _latencies = new double[messages];
    private int _count;

    public ValueTask HandleAsync(int number, long sentAt)
    {
        var latency = Stopwatch.GetElapsedTime(sentAt).TotalMilliseconds;
        var index = Interlocked.Increment(ref _count) - warmUp - 1;
        if (index >= 0 && index < messages)
            _latencies[index] = latency;
        if (index == messages - 1)
            _done.SetResult();
        return ValueTask.CompletedTask;
    }

    public Finding Wait(TimeSpan limit) => _done.Task.Wait(limit)
        ? new() { Latencies = _latencies, Handled = _count }
        : throw new TimeoutException($"Only {_count:#,0} of {warmUp + messages:#,0} messages came within {limit}.");
}
