namespace Holdfast.Scheduling;

/// <summary>
/// Runs work in three lanes, the most urgent first, on threads of its own and never on the .NET thread pool:
/// so neither does user code starve the pool, nor the pool user code.
/// </summary>
public sealed class LaneScheduler : IDisposable
{
    private const int DeepestInline = 16;
    private static readonly TimeSpan s_stopTimeout = TimeSpan.FromSeconds(5);

    private readonly LaneSchedulerOptions _options;
    private readonly Timetable _timetable;
    private readonly Crew? _crew;
    private readonly LeaseThread? _leaseThread;
    private readonly TurnWatch? _watch;
    private readonly LaneWorker? _hand;
    private long _order;
    private bool _stopped;

    /// <summary>Starts the threads.</summary>
    public LaneScheduler(LaneSchedulerOptions options, TimeProvider time, ILaneObserver? observer = null)
        : this(options, time, observer, byHand: false)
    {
    }

    private LaneScheduler(LaneSchedulerOptions options, TimeProvider time, ILaneObserver? observer, bool byHand)
    {
        Threads = options.SingleThread ? 1 : Math.Clamp(options.Threads, 1, LaneSchedulerOptions.MostThreads);
        _options = options;
        Clock = new Clock(time);
        Sampling = new Sampling(observer);
        Queues = new LaneQueues(Threads);
        _timetable = new Timetable(Clock, crash => TimedWorkCrashed?.Invoke(crash));
        if (byHand)
        {
            _hand = new LaneWorker(this) { Seat = Queues.Seats[0] };
            return;
        }

        _crew = new Crew(this, options);
        _watch = new TurnWatch(this, _crew, options);
        _leaseThread = options.SingleThread ? null : new LeaseThread(_timetable);
        _crew.Start();
        _watch.Start();
        _leaseThread?.Start();
    }

    /// <summary>Raised, on the thread that ran it, when timed work threw. None of it is run any more: whoever leases should end the process.</summary>
    public event Action<Exception>? TimedWorkCrashed;

    public Clock Clock { get; }

    /// <summary>How many items run at once.</summary>
    public int Threads { get; }

    /// <summary>False for one that is run by hand.</summary>
    public bool HasThreads => _hand is null;

    /// <summary>How many threads wait inside a turn right now, instead of burning CPU.</summary>
    public int ThreadsBlocked => _watch?.Blocked ?? 0;

    /// <summary>For how long timed work has been due without coming round; near zero while all is well.</summary>
    public TimeSpan TimedWorkSilence => _timetable.Silence;

    /// <summary>How many turns were run so far, by the threads there are now.</summary>
    public long Turns => (_hand?.Turns ?? _crew!.Roll().Sum(thread => thread.Worker.Turns)) / 2;

    internal LaneQueues Queues { get; }

    internal Sampling Sampling { get; }

    // Only a single worker runs timed work in between its items; where there is a lease thread, it does.
    internal TimeSpan UntilDueInPlace => _options.SingleThread ? Waiting.AtMost(_timetable.UntilDue) : Timeout.InfiniteTimeSpan;

    /// <summary>A scheduler without threads, for tests and simulations: <see cref="RunUntilIdle"/> runs it, on the caller's thread.</summary>
    public static LaneScheduler ByHand(TimeProvider time, ILaneObserver? observer = null, LaneSchedulerOptions? options = null) =>
        new((options ?? new()) with { SingleThread = true }, time, observer, byHand: true);

    /// <summary>A new message's strand in the Process lane.</summary>
    public Strand NewStrand(byte priority, string name) => new(this, priority, name, NextOrder());

    /// <summary>Awaited: the caller goes on in that lane, as nobody's strand.</summary>
    public Turn Turn(Lane lane) => new(this, lane);

    public int Queued(Lane lane) => Queues.Count(lane);

    /// <summary>Adds timed work, due at once. To be done before anything depends on it: it can't be taken away.</summary>
    public void Add(ITimedWork work)
    {
        _timetable.Add(work);
        WakeTimedWork();
    }

    /// <summary>Makes timed work due now: something came that may be due before what it waits for.</summary>
    public void WakeTimedWork()
    {
        _timetable.Wake();
        _leaseThread?.Wake();
        if (_options.SingleThread)
            _crew?.WakeOne();
    }

    /// <summary>Runs all that can run at the clock's present time, and returns how many turns that took.</summary>
    public int RunUntilIdle()
    {
        var turns = 0;
        while (RunOne())
            turns++;
        return turns;
    }

    /// <summary>Runs the next item; false if nothing can run at the clock's present time.</summary>
    public bool RunOne()
    {
        var hand = _hand ?? throw new InvalidOperationException("This scheduler has threads of its own; only one made by LaneScheduler.ByHand is run by hand.");
        var before = LaneWorker.SwitchTo(hand);
        try
        {
            RunDueInPlace();
            return hand.RunNext(hand.Seat!);
        }
        finally
        {
            LaneWorker.SwitchTo(before);
        }
    }

    /// <summary>
    /// Lets the threads finish what is queued, and ends them. Work that comes later runs on the .NET thread pool, so that none is ever lost.
    /// Returns the turns that were still running when the time was up; their threads are left behind.
    /// </summary>
    public IReadOnlyList<string> Stop(TimeSpan timeout)
    {
        if (Volatile.Read(ref _stopped))
            return [];

        _leaseThread?.Stop();
        _watch?.Stop();
        var left = _crew?.Stop(timeout) ?? [];
        Volatile.Write(ref _stopped, true);
        Interlocked.MemoryBarrier();
        ForwardToPool();
        return [.. left.Select(thread => thread.Worker.TurnName)];
    }

    public void Dispose() => Stop(s_stopTimeout);

    internal long NextOrder() => Interlocked.Increment(ref _order);

    internal void Post(Lane lane, IThreadPoolWorkItem item)
    {
        if (lane == Lane.Process)
        {
            Post(item, Rank.Waiting(0, NextOrder()));
            return;
        }

        Queues.Enqueue(lane, Measured(item, lane));
        Interlocked.MemoryBarrier();
        WakeAfterPost();
    }

    /// <summary>Posts to the Process lane. With every other thread busy, what would be next anyway is kept for this thread's next turn, past the shared queue.</summary>
    internal void Post(IThreadPoolWorkItem item, long rank)
    {
        IThreadPoolWorkItem? shared = Measured(item, Lane.Process);
        if (_crew?.AnyIdle != true && OwnSeat is { } seat && Queues.Process.WouldBeNext(rank))
            shared = seat.KeepBetter(shared, ref rank);

        if (shared is not null)
        {
            Queues.Process.Enqueue(shared, rank);
            Interlocked.MemoryBarrier();
        }

        WakeAfterPost();
    }

    internal void RunDueInPlace()
    {
        if (_options.SingleThread)
            _timetable.RunDue();
    }

    internal void WakeForLeftWork()
    {
        if (!Queues.IsEmpty)
            _crew?.WakeOne();
    }

    /// <summary>Whether a continuation may run inside the turn that completed what it awaits; then <see cref="LeaveInline"/> must follow.</summary>
    internal bool TryEnterInline(Strand strand, bool wasQueued)
    {
        if (LaneWorker.Current is not { } worker || worker.Lanes != this)
            return false;

        // A turn that waits in place for a queued task can't go on before that task has run: refused, it would hang for ever.
        if (!wasQueued && (worker.Depth >= DeepestInline || !IsNextAnyway(strand, worker)))
            return false;

        worker.Depth++;
        return true;
    }

    internal static void LeaveInline() => LaneWorker.Current!.Depth--;

    private bool IsNextAnyway(Strand strand, LaneWorker worker) =>
        !Queues.HasUrgent
        && (worker.TurnLane == Lane.Receive || (worker.Strand is { } current && strand.Rank <= current.Rank))
        && Queues.Process.WouldBeNext(strand.Rank)
        && worker.Seat is not { HasNext: true };

    private Seat? OwnSeat => LaneWorker.Current is { } worker && worker.Lanes == this ? worker.Seat : null;

    private IThreadPoolWorkItem Measured(IThreadPoolWorkItem item, Lane lane) =>
        Sampling.IsPostDue() ? new TimedItem(item, lane, Clock, Sampling.Observer!) : item;

    // The caller has put a full fence between making its item visible and this look at who sleeps.
    private void WakeAfterPost()
    {
        if (Volatile.Read(ref _stopped))
            ForwardToPool();
        else if (_crew is { AnyIdle: true } crew)
            crew.WakeOne();
    }

    private void ForwardToPool()
    {
        foreach (var seat in Queues.Seats)
        {
            while (Queues.TryTake(seat, out var item, out _))
                ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        }
    }
}
