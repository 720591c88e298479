namespace Holdfast.Scheduling;

/// <summary>
/// Looks at every worker thread a few times in a second: who has held his thread for too long, and who waits without burning CPU.
/// Has a thread of its own.
/// </summary>
internal sealed class TurnWatch
{
    // Each look can replace a blocked thread, so how often it looks bounds how fast blocking handlers are outrun.
    private static readonly TimeSpan s_periodWhileWorkWaits = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);

    private static readonly TimeSpan s_scarceIsToldEvery = TimeSpan.FromMinutes(1);

    private readonly LaneScheduler _lanes;
    private readonly Crew _crew;
    private readonly LaneSchedulerOptions _options;
    private readonly Dictionary<CrewThread, WatchedTurn> _turns = [];
    private readonly Bell _stop = new();
    private readonly Thread _thread;
    private long _counted;
    private int _blocked;
    private TimeSpan? _scarceTold;

    public TurnWatch(LaneScheduler lanes, Crew crew, LaneSchedulerOptions options)
    {
        _lanes = lanes;
        _crew = crew;
        _options = options;
        _thread = new Thread(Main) { Name = "holdfast-watch", IsBackground = true };
    }

    /// <summary>How many threads wait inside a turn right now.</summary>
    public int Blocked => Volatile.Read(ref _blocked);

    /// <summary>How many turns the threads there are now had run when it last looked: nobody who asks need wait for a thread that is being hired.</summary>
    public long Turns => Volatile.Read(ref _counted);

    public void Start() => _thread.UnsafeStart();

    /// <summary>False where an observer did not return in time.</summary>
    public bool Stop(TimeSpan timeout)
    {
        _stop.Ring();
        return Thread.CurrentThread == _thread || _thread.Join(timeout);
    }

    private void Main()
    {
        while (!_stop.Wait(_lanes.Queues.HasShared ? s_periodWhileWorkWaits : s_period))
            Look(_lanes.Clock.Now);
    }

    private void Look(TimeSpan now)
    {
        var blocked = 0;
        var roll = _crew.Roll();
        foreach (var thread in roll)
        {
            if (Follow(thread, now))
                blocked++;
        }

        _lanes.Postbox.WakeForShared();

        Volatile.Write(ref _blocked, blocked);
        TellIfScarce(blocked, now);
        if (_turns.Count > roll.Length)
            Forget(roll);

        var turns = roll.Sum(thread => thread.Worker.Turns) / 2;
        _lanes.Sampling.Adapt(Math.Max(0, turns - _counted));
        Volatile.Write(ref _counted, turns);

        _lanes.AgeIfDue(now);
    }

    // True where the thread is blocked in its turn.
    private bool Follow(CrewThread thread, TimeSpan now)
    {
        var number = thread.Worker.Turns;
        if (thread.Probe is not { } probe || number % 2 == 0)
            return false;

        if (!_turns.TryGetValue(thread, out var turn) || turn.Number != number)
        {
            _turns[thread] = new WatchedTurn(number, Begun(thread), now, probe.Sample());
            return false;
        }

        _lanes.Queues.Share(thread.Worker.Kept);
        if (turn.IsLong(now, _options.LongTurn))
            _lanes.Sampling.Observer?.FoundLong(turn.Report(now));

        if (turn.IsReplaced)
            return true;
        if (!turn.IsBlocked(now, probe.Sample()))
            return false;

        turn.IsReplaced = _crew.TryReplace(thread, number);
        if (turn.IsFirstSeenBlocked())
            _lanes.Sampling.Observer?.FoundBlocked(turn.Report(now), turn.IsReplaced);
        return true;
    }

    private void TellIfScarce(int blocked, TimeSpan now)
    {
        if (!_lanes.AreThreadsScarce || now - _scarceTold < s_scarceIsToldEvery)
            return;

        _scarceTold = now;
        _lanes.Sampling.Observer?.FoundScarce(blocked);
    }

    private void Forget(CrewThread[] roll)
    {
        foreach (var gone in _turns.Keys.Except(roll).ToArray())
            _turns.Remove(gone);
    }

    private static TurnReport Begun(CrewThread thread) =>
        new(thread.Worker.TurnName, thread.Worker.TurnLane, thread.Name, TimeSpan.Zero);
}
