namespace Holdfast.Consumer;

/// <summary>
/// Lets each line of one kind pass while they are few; in a flood the first ones, and tells how many more there were. A log that can't keep up would hold
/// the threads that write to it, and nobody reads ten thousand lines that say the same. Any thread but the lease thread.
/// </summary>
/// <param name="time">Whose clock.</param>
/// <param name="most">How many lines pass within ten seconds.</param>
/// <param name="tellOfMore">How many more there were, within how many seconds, and what the last one was about.</param>
internal sealed class Flood(TimeProvider time, int most, Action<int, double, string> tellOfMore) : IDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private ITimer? _end;
    private int _inPeriod;
    private bool _isClosed;
    private string _last = "";

    /// <summary>Whether to write the line. What it is about is told of the last one that was not.</summary>
    public bool Admits(string about)
    {
        lock (_gate)
        {
            if (_isClosed)
                return true;

            _end ??= time.CreateTimer(static self => ((Flood)self!).EndPeriod(), this, s_period, Timeout.InfiniteTimeSpan);
            if (++_inPeriod <= most)
                return true;

            _last = about;
            return false;
        }
    }

    public void Dispose()
    {
        _isClosed = true;
        EndPeriod();
    }

    private void EndPeriod()
    {
        int more;
        lock (_gate)
        {
            more = _inPeriod - most;
            _inPeriod = 0;
            _end?.Dispose();
            _end = null;
        }

        if (more > 0)
            tellOfMore(more, s_period.TotalSeconds, _last);
    }
}
