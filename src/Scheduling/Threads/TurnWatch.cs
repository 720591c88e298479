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

    // A look at a thread costs microseconds, and there may be hundreds that have lost their seats.
    private const int LooksBetweenSamples = 8;

    private static readonly TimeSpan s_scarceIsToldEvery = TimeSpan.FromMinutes(1);

    private readonly LaneScheduler _lanes;
    private readonly Crew _crew;
    private readonly LaneSchedulerOptions _options;
    private readonly Dictionary<CrewThread, WatchedTurn> _turns = [];
    private readonly Standstills _standstills = new(CpuQuota.Cpus);
    private readonly Bell _stop = new();
    private readonly Thread _thread;
    private CrewThread[] _roll = [];
    private long _counted;
    private int _blocked;
    private int _beyondSeats;
    private int _looks;
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

    /// <summary>How many turns burn CPU although a spare thread has their seat.</summary>
    public int BeyondSeats => Volatile.Read(ref _beyondSeats);

    /// <summary>The threads that there were when it last looked: nobody who asks need wait for one that is being hired.</summary>
    public CrewThread[] Roll => Volatile.Read(ref _roll);

    /// <summary>For how long they were ready to run and had no CPU, since they began.</summary>
    public TimeSpan WaitForCpu => new(Roll.Sum(thread => thread.Probe?.WaitForCpu().Ticks ?? 0));

    /// <summary>How many turns the threads there are and were had run by then.</summary>
    public long Turns => Volatile.Read(ref _counted);

    /// <exception cref="InvalidOperationException">The system has no thread to give.</exception>
    public void Start()
    {
        _roll = _crew.Roll();
        if (!_options.TryStart(_thread))
            throw ThreadLimit.Met("the watch");
    }

    /// <summary>False where an observer did not return in time.</summary>
    public bool Stop(TimeSpan timeout)
    {
        _stop.Ring();
        return Thread.CurrentThread == _thread || !_thread.IsAlive || _thread.Join(timeout);
    }

    private void Main()
    {
        while (Period() is var period && !_stop.Wait(period))
        {
            var now = _lanes.Clock.Now;
            if (_standstills.At(ProcessSample.Take(now), period) is { } standstill)
                Excuse(standstill);
            Look(now);
        }
    }

    private TimeSpan Period() => _lanes.Queues.HasShared ? s_periodWhileWorkWaits : s_period;

    private void Excuse(Standstill standstill)
    {
        foreach (var turn in _turns.Values)
            turn.Skip(standstill.Duration);
        _lanes.Sampling.Observer?.FoundStandstill(standstill);
    }

    private void Look(TimeSpan now)
    {
        var (blocked, beyondSeats) = (0, 0);
        var roll = _crew.Roll(out var turnsOfGone);
        Volatile.Write(ref _roll, roll);
        _looks++;
        foreach (var thread in roll)
        {
            if (Follow(thread, now) is not { } turn)
                continue;
            if (turn.IsAwake)
                beyondSeats++;
            else
                blocked++;
        }

        _crew.LookForMore();
        _lanes.Postbox.WakeForShared();

        Volatile.Write(ref _blocked, blocked);
        Volatile.Write(ref _beyondSeats, beyondSeats);
        TellIfScarce(blocked, now);
        if (_turns.Count > roll.Length)
            Forget(roll);

        var turns = (roll.Sum(thread => thread.Worker.Turns) + turnsOfGone) / 2;
        _lanes.Sampling.Adapt(Math.Max(0, turns - _counted));
        Volatile.Write(ref _counted, turns);

        _lanes.AgeIfDue(now);
    }

    // The turn, where it blocks or did: whoever has a spare thread in his place may be awake again.
    private WatchedTurn? Follow(CrewThread thread, TimeSpan now)
    {
        var number = thread.Worker.Turns;
        if (thread.Probe is not { } probe || number % 2 == 0)
            return null;

        if (!_turns.TryGetValue(thread, out var turn) || turn.Number != number)
        {
            _turns[thread] = new WatchedTurn(number, Begun(thread), now, probe.Sample());
            return null;
        }

        _lanes.Queues.Share(thread.Worker.Kept);
        if (turn.IsLong(now, _options.LongTurn))
            _lanes.Sampling.Observer?.FoundLong(turn.Report(now));

        if (turn.IsReplaced)
        {
            if ((_looks + number / 2) % LooksBetweenSamples == 0)
                turn.IsAwake = probe.Sample().Activity == ThreadActivity.Running;
            return turn;
        }

        if (!turn.IsBlocked(now, probe.Sample()))
            return null;

        if (_crew.Replace(thread, number) is not { } standIn)
            return null;
        turn.IsReplaced = standIn == StandIn.Found;
        if (turn.IsFirstSeenBlocked())
            _lanes.Sampling.Observer?.FoundBlocked(turn.Report(now), standIn);
        return turn;
    }

    private void TellIfScarce(int blocked, TimeSpan now)
    {
        if (!_lanes.AreThreadsScarce || now - _scarceTold < s_scarceIsToldEvery)
            return;

        _scarceTold = now;
        _lanes.Sampling.Observer?.FoundScarce(blocked, _crew.Bound);
    }

    private void Forget(CrewThread[] roll)
    {
        foreach (var gone in _turns.Keys.Except(roll).ToArray())
            _turns.Remove(gone);
    }

    private static TurnReport Begun(CrewThread thread) =>
        new(thread.Worker.TurnName, thread.Worker.TurnLane, thread.Name, TimeSpan.Zero);
}
