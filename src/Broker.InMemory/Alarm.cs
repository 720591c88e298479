namespace Holdfast.Broker.InMemory;

/// <summary>One queue's timer, set for whatever comes due first; its queue's lock guards it.</summary>
internal sealed class Alarm : IDisposable
{
    // Timers can't be set for longer than some weeks. Ringing too early does no harm.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private long _due = long.MaxValue;

    public Alarm(TimeProvider time, Action ring)
    {
        _time = time;
        using var flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _timer = time.CreateTimer(static ring => ((Action)ring!)(), ring, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Sees to it that it rings at <paramref name="due"/> or earlier, so that most calls need not touch the timer.</summary>
    public void RingBy(long due, long now)
    {
        if (due >= _due)
            return;
        _due = due;

        // The system's timers cut off fractions of a millisecond, and would ring just before there is anything to do.
        var wait = _time.GetElapsedTime(now, due);
        wait = wait < s_longest ? TimeSpan.FromMilliseconds((long)Math.Ceiling(wait.TotalMilliseconds)) : s_longest;
        _timer.Change(wait, Timeout.InfiniteTimeSpan);
    }

    public void HasRung() => _due = long.MaxValue;

    public void Dispose() => _timer.Dispose();
}
