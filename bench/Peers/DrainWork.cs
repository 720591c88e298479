using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>
/// Counts messages out. A warm-up in several parts comes first, and after each of them handlers hold still until the JIT compiler has caught up:
/// it would take CPU from what is measured, and it compiles what is hot more than once.
/// </summary>
internal sealed class DrainWork : IWork
{
    private const int WarmUps = 4;

    private readonly Stage[] _stages;
    private readonly int _part;
    private readonly int _measured;
    private int _begun;
    private (long At, TimeSpan Cpu, long Bytes) _end;

    public DrainWork(int warmUp, int messages)
    {
        _part = warmUp / WarmUps;
        _measured = messages;
        _stages = [.. Enumerable.Range(0, WarmUps).Select(_ => new Stage(_part)), new(messages)];
    }

    public ValueTask HandleAsync(int number, long sentAt)
    {
        var stage = _stages[Math.Min((Interlocked.Increment(ref _begun) - 1) / _part, _stages.Length - 1)];
        if (!stage.Gate.IsCompleted)
            return EndLaterAsync(stage);

        End(stage);
        return ValueTask.CompletedTask;
    }

    public Finding Wait(TimeSpan limit)
    {
        foreach (var stage in _stages.AsSpan(0, WarmUps))
        {
            stage.Open();
            stage.Wait(limit);
            JitQuiet.Wait();
        }

        var start = Look();
        _stages[^1].Open();
        _stages[^1].Wait(limit);
        return new()
        {
            Elapsed = Stopwatch.GetElapsedTime(start.At, _end.At),
            Cpu = _end.Cpu - start.Cpu,
            Bytes = _end.Bytes - start.Bytes,
            Handled = _measured,
        };
    }

    private async ValueTask EndLaterAsync(Stage stage)
    {
        await stage.Gate;
        End(stage);
    }

    private void End(Stage stage)
    {
        if (!stage.IsLast())
            return;

        _end = Look();
        stage.Finish();
    }

    private static (long At, TimeSpan Cpu, long Bytes) Look() =>
        (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime, GC.GetTotalAllocatedBytes());

    /// <summary>So many messages, which wait until they may be handled.</summary>
    private sealed class Stage(int messages)
    {
        private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _done = new();
        private int _left = messages;

        public Task Gate => _gate.Task;

        public void Open() => _gate.SetResult();

        public bool IsLast() => Interlocked.Decrement(ref _left) == 0;

        public void Finish() => _done.SetResult();

        public void Wait(TimeSpan limit)
        {
            if (!_done.Task.Wait(limit))
                throw new TimeoutException($"{_left:#,0} messages did not come within {limit}.");
        }
    }
}
