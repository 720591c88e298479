namespace Holdfast.Scheduling;

/// <summary>The thread that runs timed work, and nothing else: no lane item, no user code, no wait but for the next due time.</summary>
internal sealed class LeaseThread
{
    private readonly Timetable _timetable;
    private readonly Bell _wake = new();
    private readonly Thread _thread;
    private bool _stopping;

    public LeaseThread(Timetable timetable)
    {
        _timetable = timetable;
        _thread = new Thread(Main) { Name = "holdfast-lease", IsBackground = true };
    }

    /// <exception cref="InvalidOperationException">The system has no thread to give.</exception>
    public void Start(LaneSchedulerOptions options)
    {
        if (!options.TryStart(_thread))
            throw ThreadLimit.Met("timed work");
    }

    public void Wake() => _wake.Ring();

    /// <summary>False where timed work did not return in time.</summary>
    public bool Stop(TimeSpan timeout)
    {
        Volatile.Write(ref _stopping, true);
        _wake.Ring();
        return Thread.CurrentThread == _thread || !_thread.IsAlive || _thread.Join(timeout);
    }

    private void Main()
    {
        while (!Volatile.Read(ref _stopping) && _timetable.RunDue())
            _wake.Wait(Waiting.AtMost(_timetable.UntilDue));
    }
}
