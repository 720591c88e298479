namespace Holdfast.Virtual;

/// <summary>The machine's clock as one process sees it: its timers stand still while the process does.</summary>
internal sealed class ProcessTime(VirtualProcess process, VirtualTime time) : TimeProvider
{
    public override long TimestampFrequency => time.TimestampFrequency;

    public override long GetTimestamp() => time.GetTimestamp();

    public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new ProcessTimer(process, time, () => callback(state), dueTime, period);

    private sealed class ProcessTimer : ITimer
    {
        private readonly VirtualProcess _process;
        private readonly Action _fire;
        private readonly Action _fireNow;
        private readonly ITimer _timer;
        private readonly bool _isPeriodic;
        private bool _isSet;
        private bool _isDisposed;

        public ProcessTimer(VirtualProcess process, VirtualTime time, Action fire, TimeSpan dueTime, TimeSpan period)
        {
            _process = process;
            (_fire, _fireNow) = (fire, FireNow);
            _isPeriodic = period > TimeSpan.Zero;
            _timer = time.CreateTimer(static self => ((ProcessTimer)self!).Fire(), this, dueTime, period);
            Note(dueTime != Timeout.InfiniteTimeSpan);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Note(dueTime != Timeout.InfiniteTimeSpan);
            return _timer.Change(dueTime, period);
        }

        public void Dispose()
        {
            _isDisposed = true;
            Note(false);
            _timer.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        private void Fire() => _process.Arrive(_fireNow);

        private void FireNow()
        {
            if (_isDisposed)
                return;
            Note(_isPeriodic);
            _fire();
        }

        private void Note(bool isSet)
        {
            _process.Timers += (isSet ? 1 : 0) - (_isSet ? 1 : 0);
            _isSet = isSet;
        }
    }
}
