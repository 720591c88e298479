namespace Holdfast.Scheduling;

/// <summary>The worker threads: those that have a seat, those that stand in for blocked ones, and who sleeps.</summary>
internal sealed class Crew(LaneScheduler lanes, LaneSchedulerOptions options)
{
    // What part of the spare threads is kept, beyond the least, for what has begun and may still block.
    private const int ShareForTheBegun = 32;

    private readonly Lock _gate = new();
    private readonly List<CrewThread> _all = [];
    private readonly List<CrewThread> _spare = [];
    private ulong _idle;
    private bool _isOneComing;
    private int _named;
    private bool _stopping;
    private long _turnsOfGone;
    private int _had;
    private TimeSpan? _refusedUntil;

    public Seat[] Seats { get; } = [.. Enumerable.Range(0, lanes.Threads).Select(index => new Seat(index))];

    public bool AnyIdle => Volatile.Read(ref _idle) != 0;

    public bool IsStopping => Volatile.Read(ref _stopping);

    // Whether the system had no thread to give, a moment ago.
    private bool IsRefused => lanes.Clock.Now < _refusedUntil;

    // With a refusal there are no more than there are; but they are the last, and not spent, for whoever waits in place may still be helped.
    private int MostSpare => Math.Min(options.MostSpareThreads, IsRefused ? _had + lanes.Threads : int.MaxValue);

    /// <summary>What keeps the spare threads from becoming more, once there are so many.</summary>
    public StandIn Bound => IsRefused || options.MostSpareThreads < options.MaxSpareThreads ? StandIn.Refused : StandIn.LimitReached;

    /// <exception cref="InvalidOperationException">The system has no threads to give.</exception>
    public void Start()
    {
        foreach (var seat in Seats)
        {
            if (!Hire(seat))
                throw ThreadLimit.Met($"lane {_named} of {lanes.Threads}");
        }
    }

    /// <summary>All threads there are at the moment, for the watch, and the turns of those that have left.</summary>
    public CrewThread[] Roll(out long turnsOfGone)
    {
        lock (_gate)
        {
            turnsOfGone = _turnsOfGone;
            return [.. _all];
        }
    }

    /// <summary>All threads there are at the moment.</summary>
    public CrewThread[] Roll() => Roll(out _);

    /// <summary>Wakes one sleeping thread; false if none sleeps. The caller has made its work visible before.</summary>
    public bool WakeOne()
    {
        ulong idle;
        while ((idle = Volatile.Read(ref _idle)) != 0)
        {
            var bit = idle & (~idle + 1);
            if (Interlocked.CompareExchange(ref _idle, idle & ~bit, idle) == idle)
            {
                Seats[ulong.TrailingZeroCount(bit)].Wake.Ring();
                return true;
            }
        }

        return false;
    }

    /// <summary>Wakes one sleeping thread after a post, unless one is coming already: that one sees what was posted meanwhile, and calls the next.</summary>
    public void Call()
    {
        while (AnyIdle && !Volatile.Read(ref _isOneComing) && !Interlocked.Exchange(ref _isOneComing, true))
        {
            if (WakeOne())
                return;

            // Nobody slept any more. But somebody may have posted meanwhile and relied on this call, and then somebody fallen asleep.
            Interlocked.Exchange(ref _isOneComing, false);
            if (lanes.Queues.IsEmpty)
                return;
        }
    }

    /// <summary>Sleeps until there is work for the seat. False when the thread is to end.</summary>
    public bool Park(Seat seat)
    {
        Interlocked.Or(ref _idle, seat.Bit);

        // Whoever posts looks at the idle bits after it made its work visible; this looks for work, timed work too, after it made its bit visible.
        var atMost = lanes.UntilDueInPlace;
        if (lanes.Queues.IsEmpty)
        {
            if (IsStopping)
                return false;
            if (seat.Wake.Wait(atMost))
            {
                Come();
                return true;
            }
        }

        // Somebody may have claimed the bit meanwhile, and meant his signal for other work: absorb it, and pass it on.
        if ((Interlocked.And(ref _idle, ~seat.Bit) & seat.Bit) == 0)
        {
            seat.Wake.Wait();
            Come();
        }

        return true;
    }

    // Whoever posts from now on calls for himself; whoever posted before has left his work in sight.
    private void Come()
    {
        Interlocked.Exchange(ref _isOneComing, false);
        if (lanes.Queues.HasSeveral)
            Call();
    }

    /// <summary>Gives the seat of a thread that is blocked in its turn to a spare one, where there may be one. Null where it does not block that any more.</summary>
    public StandIn? Replace(CrewThread blocked, long turn)
    {
        lock (_gate)
        {
            if (_stopping || blocked.Worker.Turns != turn || blocked.Worker.Seat is not { } seat)
                return null;
            if (_spare.Count == 0 && (IsRefused || _all.Count - lanes.Threads >= MostSpare))
                return Bound;

            // Two threads on one seat would steal each other's signals. A thread looks for its seat after it has noted the end of its turn;
            // this looks whether the turn has ended after taking the seat. The barrier acts on both threads, so that no turn need pay for one.
            blocked.Worker.Seat = null;
            Interlocked.MemoryBarrierProcessWide();
            var isBlocked = blocked.Worker.Turns == turn;
            if (isBlocked && TryFill(seat))
                return StandIn.Found;

            blocked.Worker.Seat = seat;
            return isBlocked ? Bound : null;
        }
    }

    /// <summary>A thread that came out of its wait without a seat stands by for the next one that blocks. False when it is to end.</summary>
    public bool StandBy(CrewThread thread)
    {
        lock (_gate)
        {
            if (_stopping)
                return false;
            if (thread.Worker.Seat is not null)
                return true;
            _spare.Add(thread);
            NoteSupply();
        }

        if (!thread.AwaitSeat(options.SparePatience))
        {
            lock (_gate)
            {
                if (_spare.Remove(thread))
                    return false;
            }

            // The seat came just as the wait was given up: its signal is on the way.
            thread.AwaitSeat(Timeout.InfiniteTimeSpan);
        }

        return thread.Worker.Seat is not null;
    }

    /// <summary>Whether there are threads again that the system has refused: nobody else may ask for long.</summary>
    public void LookForMore()
    {
        if (lanes.Queues.Supply == ThreadSupply.Ample)
            return;
        lock (_gate)
            NoteSupply();
    }

    public void Left(CrewThread thread)
    {
        lock (_gate)
        {
            if (_all.Remove(thread))
                _turnsOfGone += thread.Worker.Turns;
            TellWhoIsThere();
            NoteSupply();
        }
    }

    /// <summary>Lets every thread end once nothing is queued, and waits for them. Returns those still in a turn at the deadline.</summary>
    public IReadOnlyList<CrewThread> Stop(TimeSpan timeout)
    {
        CrewThread[] all;
        lock (_gate)
        {
            Volatile.Write(ref _stopping, true);
            NoteSupply();
            all = [.. _all];
            while (_spare.Count > 0)
                TakeSpare().Seat(null);
        }

        // Whoever goes to sleep looks at the flag after it made its idle bit visible.
        Interlocked.MemoryBarrier();
        while (WakeOne())
        {
        }

        var start = lanes.Clock.Now;
        return [.. all.Where(thread => !thread.Join(timeout - (lanes.Clock.Now - start)))];
    }

    private CrewThread TakeSpare()
    {
        var spare = _spare[^1];
        _spare.RemoveAt(_spare.Count - 1);
        NoteSupply();
        return spare;
    }

    private bool TryFill(Seat seat)
    {
        if (_spare.Count == 0)
            return Hire(seat);

        TakeSpare().Seat(seat);
        return true;
    }

    private bool Hire(Seat seat)
    {
        lock (_gate)
        {
            var thread = new CrewThread(lanes, this, seat, $"holdfast-worker-{++_named}", options);
            _all.Add(thread);
            TellWhoIsThere();
            NoteSupply();
            if (thread.TryStart())
                return true;

            _had = Math.Max(0, _all.Count - 1 - lanes.Threads);
            _refusedUntil = lanes.Clock.Now + options.SparePatience;
            Left(thread);
            return false;
        }
    }

    // Before whoever takes up a seat can look. Each level must last until all that was begun on the level before may have blocked, which takes a spare thread each.
    private void NoteSupply()
    {
        var (most, threads) = (MostSpare, lanes.Threads);
        var left = most - (_all.Count - _spare.Count - threads);
        var supply =
            _stopping || most < threads * LaneSchedulerOptions.SparesForEachThread || left > (2 * threads) + 1 + (most / ShareForTheBegun) ? ThreadSupply.Ample
            : left > threads ? ThreadSupply.Scarce
            : left > 0 ? ThreadSupply.Last
            : ThreadSupply.Spent;
        var before = lanes.Queues.Supply;
        if (supply == before)
            return;

        lanes.Queues.Supply = supply;
        Interlocked.MemoryBarrier();
        if (supply < before && !lanes.Queues.IsEmpty)
            Call();
    }

    private void TellWhoIsThere() => lanes.Queues.Know(_all.Select(thread => thread.Worker));
}
