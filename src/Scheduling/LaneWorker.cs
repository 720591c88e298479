namespace Holdfast.Scheduling;

/// <summary>What one thread knows of itself while it runs items: its seat, its turn, and how deep it is in continuations run in place.</summary>
internal sealed class LaneWorker(LaneScheduler lanes)
{
    [ThreadStatic]
    private static LaneWorker? t_current;

    private Seat? _seat;
    private IThreadPoolWorkItem? _item;
    private Lane _lane;
    private long _turns;

    public static LaneWorker? Current => t_current;

    public LaneScheduler Lanes => lanes;

    /// <summary>Null once the watch gave it to a spare thread.</summary>
    public Seat? Seat
    {
        get => Volatile.Read(ref _seat);
        set => Volatile.Write(ref _seat, value);
    }

    /// <summary>Continuations running in place inside one another.</summary>
    public int Depth { get; set; }

    /// <summary>Goes up at a turn's begin and at its end: odd within one.</summary>
    public long Turns => Volatile.Read(ref _turns);

    public Lane TurnLane => _lane;

    public Strand? Strand => (_item is TimedItem timed ? timed.Item : _item) as Strand;

    /// <summary>Whose turn it is, for a report.</summary>
    public string TurnName => Strand?.Name ?? _item?.ToString() ?? "nothing";

    /// <summary>Makes the calling thread this worker's, until told otherwise.</summary>
    public static LaneWorker? SwitchTo(LaneWorker? worker)
    {
        var before = t_current;
        t_current = worker;
        return before;
    }

    /// <summary>Runs the next item there is for this worker's seat.</summary>
    public bool RunNext(Seat seat)
    {
        if (!lanes.Queues.TryTake(seat, out var item, out var lane))
            return false;

        _item = item;
        _lane = lane;
        Volatile.Write(ref _turns, _turns + 1);
        if (lanes.Sampling.IsTurnDue(_turns >> 1))
            RunMeasured(item, lane);
        else
            item.Execute();
        Volatile.Write(ref _turns, _turns + 1);
        _item = null;
        return true;
    }

    private void RunMeasured(IThreadPoolWorkItem item, Lane lane)
    {
        var start = lanes.Clock.Now;
        item.Execute();
        lanes.Sampling.Observer!.Ran(lane, lanes.Clock.Now - start);
    }
}
