namespace Holdfast.Scheduling;

/// <summary>What one thread knows of itself while it runs items: its seat, its turn, and how deep it is in continuations run in place.</summary>
internal sealed class LaneWorker(LaneScheduler lanes)
{
    [ThreadStatic]
    private static LaneWorker? t_current;

    private Seat? _seat;
    private long _turns;

    public static LaneWorker? Current => t_current;

    public LaneScheduler Lanes => lanes;

    /// <summary>Null once the watch gave it to a spare thread.</summary>
    public Seat? Seat
    {
        get => Volatile.Read(ref _seat);
        set => Volatile.Write(ref _seat, value);
    }

    public KeptWork Kept { get; } = new();

    /// <summary>Continuations running in place inside one another.</summary>
    public int Depth { get; set; }

    /// <summary>Goes up at a turn's begin and at its end: odd within one.</summary>
    public long Turns => Volatile.Read(ref _turns);

    public Lane TurnLane { get; private set; }

    public Strand? Strand { get; private set; }

    /// <summary>The task that is this turn; null where it is somebody's rest.</summary>
    public Task? Task { get; private set; }

    /// <summary>Whose turn it is, for a report.</summary>
    public string TurnName => Strand?.Name ?? TurnLane.ToString();

    /// <summary>The calling thread's, if it is one of that scheduler's.</summary>
    public static LaneWorker? Of(LaneScheduler lanes) => t_current is { } worker && worker.Lanes == lanes ? worker : null;

    /// <summary>Makes the calling thread this worker's, until told otherwise.</summary>
    public static LaneWorker? SwitchTo(LaneWorker? worker)
    {
        var before = t_current;
        t_current = worker;
        return before;
    }

    /// <summary>Runs the next item there is.</summary>
    public bool RunNext()
    {
        if (!lanes.Queues.TryTake(Kept, out var work, out var lane))
            return false;

        (Strand, Task) = (work.Strand, work.Task);
        TurnLane = lane;
        Volatile.Write(ref _turns, _turns + 1);
        if (lanes.Sampling.Observer is { } observer)
            RunObserved(work, lane, observer);
        else
            work.Run();
        (Strand, Task) = (null, null);
        Volatile.Write(ref _turns, _turns + 1);
        return true;
    }

    private void RunObserved(in Work work, Lane lane, ILaneObserver observer)
    {
        if (work.Posted.IsMeasured)
            lanes.Sampling.Waited(lane, lanes.Clock.Time.GetElapsedTime(work.Posted.At), work.Posted.Weight, observer);

        var weight = lanes.Sampling.TurnWeight(_turns >> 1);
        if (weight == 0)
        {
            work.Run();
            return;
        }

        var start = lanes.Clock.Time.GetTimestamp();
        work.Run();
        observer.Ran(lane, lanes.Clock.Time.GetElapsedTime(start), weight);
    }
}
