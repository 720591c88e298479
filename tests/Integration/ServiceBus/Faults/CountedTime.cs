namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>The machine's time, which tells how many of the timers that it has given out are still to ring.</summary>
internal sealed class CountedTime : TimeProvider
{
    private int _armed;

    public int Armed => Volatile.Read(ref _armed);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new Counted(this, callback, state, dueTime, period);

    private sealed class Counted : ITimer
    {
        private readonly Lock _gate = new();
        private readonly CountedTime _time;
        private readonly ITimer _timer;
        private bool _isArmed;

        public Counted(CountedTime time, TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _time = time;
            _timer = System.CreateTimer(
                state =>
                {
                    Set(isArmed: false);
                    callback(state);
                },
                state,
                Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
            Change(dueTime, period);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Set(dueTime != Timeout.InfiniteTimeSpan);
            return _timer.Change(dueTime, period);
        }

        public void Dispose()
        {
            Set(isArmed: false);
            _timer.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Set(isArmed: false);
            return _timer.DisposeAsync();
        }

        private void Set(bool isArmed)
        {
            lock (_gate)
            {
                Interlocked.Add(ref _time._armed, (isArmed ? 1 : 0) - (_isArmed ? 1 : 0));
                _isArmed = isArmed;
            }
        }
    }
}
