namespace Holdfast.Scheduling;

/// <summary>What the watch remembers of one turn, from one look to the next.</summary>
internal sealed class WatchedTurn(long number, TurnReport begun, TimeSpan since, ThreadSample first)
{
    // A thread that waits for most of the time between two looks is blocked, even if it wakes now and then.
    private const double BusyShare = 0.1;

    private TimeSpan _since = since;
    private ThreadSample _last = first;
    private TimeSpan _lastAt = since;
    private bool _toldLong;
    private bool _toldBlocked;

    public long Number { get; } = number;

    /// <summary>Whether a spare thread has the seat now. Whether the turn blocks is not asked any more then; only whether it is awake.</summary>
    public bool IsReplaced { get; set; }

    /// <summary>Whether it has come out of its wait, and burns CPU beside the one that has its seat.</summary>
    public bool IsAwake { get; set; }

    /// <summary>Of the turn as it was first seen: by the time it is told of, its thread may be in another.</summary>
    public TurnReport Report(TimeSpan now) => begun with { Duration = now - _since };

    /// <summary>True once, at the first look after the turn has become too long.</summary>
    public bool IsLong(TimeSpan now, TimeSpan limit) => now - _since > limit && !_toldLong && (_toldLong = true);

    /// <summary>Leaves out a time in which nobody ran.</summary>
    public void Skip(TimeSpan time) => (_since, _lastAt) = (_since + time, _lastAt + time);

    public bool IsFirstSeenBlocked() => !_toldBlocked && (_toldBlocked = true);

    /// <summary>Asleep at two looks in a row, with hardly any CPU burnt in between. A runnable thread that gets no CPU is not blocked.</summary>
    public bool IsBlocked(TimeSpan now, ThreadSample sample)
    {
        var isBlocked = _last.Activity == ThreadActivity.Sleeping
            && sample.Activity == ThreadActivity.Sleeping
            && sample.CpuTime - _last.CpuTime < (now - _lastAt) * BusyShare;
        (_last, _lastAt) = (sample, now);
        return isBlocked;
    }
}
