namespace Holdfast.Scheduling;

/// <summary>One worker thread: runs items while it has a seat, stands by while it has none.</summary>
internal sealed class CrewThread
{
    private readonly Crew _crew;
    private readonly LaneScheduler _lanes;
    private readonly Thread _thread;
    private readonly Bell _seated = new();
    private readonly LaneSchedulerOptions _options;
    private ThreadProbe? _probe;

    public CrewThread(LaneScheduler lanes, Crew crew, Seat seat, string name, LaneSchedulerOptions options)
    {
        _lanes = lanes;
        _crew = crew;
        _options = options;
        Worker = new LaneWorker(lanes) { Seat = seat };
        _thread = new Thread(Main) { Name = name, IsBackground = true };
    }

    public LaneWorker Worker { get; }

    public string Name => _thread.Name!;

    /// <summary>Null until the thread runs.</summary>
    public ThreadProbe? Probe => Volatile.Read(ref _probe);

    /// <summary>False where the system has no thread to give.</summary>
    public bool TryStart() => _options.TryStart(_thread);

    public void Seat(Seat? seat)
    {
        Worker.Seat = seat;
        _seated.Ring();
    }

    public bool AwaitSeat(TimeSpan atMost) => _seated.Wait(atMost);

    /// <summary>Waits for its end; but not for its own, when it is this thread that stops them all.</summary>
    public bool Join(TimeSpan atMost) =>
        Thread.CurrentThread == _thread || _thread.Join(atMost > TimeSpan.Zero ? atMost : TimeSpan.Zero);

    private void Main()
    {
        using var probe = new ThreadProbe();
        Volatile.Write(ref _probe, probe);
        if (_options.Niceness > 0)
            Niceness.TryRaise(_options.Niceness);

        LaneWorker.SwitchTo(Worker);
        while (Work() && _crew.StandBy(this))
        {
        }

        Volatile.Write(ref _probe, null);
        _crew.Left(this);
    }

    // False when the scheduler stops; true when the seat is gone.
    private bool Work()
    {
        while (Worker.Seat is { } seat)
        {
            _lanes.RunDueInPlace();
            if (!Worker.RunNext() && !_crew.Park(seat))
                return false;
        }

        _lanes.Postbox.Share(Worker);
        return true;
    }
}
