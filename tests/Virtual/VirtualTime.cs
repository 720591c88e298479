namespace Holdfast.Virtual;

/// <summary>A clock that moves only when told to, and fires its timers in order, on the thread that moves it.</summary>
public sealed class VirtualTime : TimeProvider
{
    private static readonly DateTimeOffset s_start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly Lock _gate = new();
    private readonly PriorityQueue<(VirtualTimer Timer, int Arming), (long Due, long Order)> _due = new();
    private long _now;
    private long _order;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>How far the clock has come since it was made.</summary>
    public TimeSpan Elapsed => new(Volatile.Read(ref _now));

    /// <summary>When the next timer fires, as a distance from now; null where none is set.</summary>
    public TimeSpan? UntilNextTimer
    {
        get
        {
            lock (_gate)
            {
                while (_due.TryPeek(out var head, out var key))
                {
                    if (head.Timer.Arming == head.Arming)
                        return new TimeSpan(key.Due - _now);
                    _due.Dequeue();
                }
            }

            return null;
        }
    }

    public override long GetTimestamp() => Volatile.Read(ref _now);

    public override DateTimeOffset GetUtcNow() => s_start + Elapsed;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new VirtualTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock on, firing what comes due on the way, each at its own time.</summary>
    public void Advance(TimeSpan by)
    {
        var until = _now + by.Ticks;
        while (TakeDue(until) is { } timer)
            timer.Fire();
        lock (_gate)
            _now = Math.Max(_now, until);
    }

    /// <summary>Moves the clock on to the next timer that is due by then, and fires that one; false, with the clock moved to then, where there is none.</summary>
    internal bool FireNext(TimeSpan until)
    {
        if (TakeDue(until.Ticks) is { } timer)
        {
            timer.Fire();
            return true;
        }

        lock (_gate)
            _now = Math.Max(_now, until.Ticks);
        return false;
    }

    /// <summary>Moves the clock on as a machine sees it that stood still meanwhile: what came due on the way fires late, at the end of it.</summary>
    public void StandStill(TimeSpan time)
    {
        lock (_gate)
            _now += time.Ticks;
        Advance(TimeSpan.Zero);
    }

    private VirtualTimer? TakeDue(long until)
    {
        lock (_gate)
        {
            while (_due.TryPeek(out var head, out var key) && key.Due <= until)
            {
                _due.Dequeue();
                if (head.Timer.Arming != head.Arming)
                    continue;
                _now = Math.Max(_now, key.Due);
                head.Timer.Rearm();
                return head.Timer;
            }
        }

        return null;
    }

    private sealed class VirtualTimer(VirtualTime time, TimerCallback callback, object? state) : ITimer
    {
        private TimeSpan _period;

        // Each arming has a number of its own, so that a queued entry of an earlier one is known to be stale.
        public int Arming { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._gate)
            {
                _period = period;
                Arm(dueTime);
            }

            return true;
        }

        public void Rearm() => Arm(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan);

        public void Fire() => callback(state);

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        private void Arm(TimeSpan dueTime)
        {
            Arming++;
            if (dueTime != Timeout.InfiniteTimeSpan)
                time._due.Enqueue((this, Arming), (time._now + Math.Max(0, dueTime.Ticks), time._order++));
        }
    }
}
