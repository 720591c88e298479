namespace Holdfast.Scheduling;

/// <summary>The workers of a scheduler without threads of its own. Whoever runs them by hand hires them, and is told what there is to do. One thread at a time.</summary>
internal sealed class Hands(LaneScheduler lanes, HandSignals signals)
{
    // Nobody sleeps on it: a hand has one to be allowed to run items.
    private static readonly Seat s_seat = new(0);

    private readonly List<LaneWorker> _all = [];
    private long _turnsOfGone;

    public HandSignals Signals => signals;

    public IEnumerable<LaneWorker> All => _all;

    public LaneWorker First => _all[0];

    public long Turns => (_turnsOfGone + _all.Sum(hand => hand.Turns)) / 2;

    public LaneWorker Hire()
    {
        var hand = new LaneWorker(lanes) { Seat = s_seat };
        _all.Add(hand);
        TellWhoIsThere();
        return hand;
    }

    /// <summary>As the watch does with a thread that is blocked in its turn: it takes up nothing more, and what it kept is for others.</summary>
    public void Unseat(LaneWorker hand)
    {
        hand.Seat = null;
        lanes.Postbox.Share(hand);
    }

    public void Dismiss(LaneWorker hand)
    {
        Unseat(hand);
        _turnsOfGone += hand.Turns;
        _all.Remove(hand);
        TellWhoIsThere();
    }

    private void TellWhoIsThere() => lanes.Queues.Know(_all);
}

/// <summary>What whoever runs lanes by hand wants to know, where work goes that comes after the stop, and, if the clock is a CPU's, what is had of that.</summary>
internal sealed record HandSignals(Action Posted, Action TimedWorkWoken, Action<Action> Elsewhere, HandCpu? Cpu = null);

/// <summary>The CPUs that hands run on: what they have burnt of them, what they waited for while others had them, and how many there are.</summary>
internal sealed record HandCpu(Func<TimeSpan> Burnt, Func<TimeSpan> Waited, double Cpus);
