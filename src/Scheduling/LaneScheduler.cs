namespace Holdfast.Scheduling;

/// <summary>
/// Runs work in three lanes, the most urgent first, on threads of its own and never on the .NET thread pool:
/// so neither does user code starve the pool, nor the pool user code. What is next is decided in <see cref="LaneQueues"/>.
/// </summary>
public sealed class LaneScheduler : IDisposable
{
    /// <summary>How many continuations run in place inside one another at the most.</summary>
    internal const int DeepestInline = 16;

    private static readonly TimeSpan s_stopTimeout = TimeSpan.FromSeconds(5);

    private readonly LaneSchedulerOptions _options;
    private readonly Timetable _timetable;
    private readonly Crew? _crew;
    private readonly LeaseThread? _leaseThread;
    private readonly TurnWatch? _watch;
    private readonly Hands? _hands;
    private TimeSpan _aged;
    private long _order;

    /// <summary>Starts the threads.</summary>
    /// <exception cref="InvalidOperationException">The system has no threads to give.</exception>
    public LaneScheduler(LaneSchedulerOptions options, TimeProvider time, ILaneObserver? observer = null)
        : this(options, time, observer, byHand: null)
    {
    }

    private LaneScheduler(LaneSchedulerOptions options, TimeProvider time, ILaneObserver? observer, HandSignals? byHand)
    {
        Threads = options.SingleThread ? 1 : Math.Clamp(options.Threads, 1, LaneSchedulerOptions.MostThreads);
        _options = options;
        Clock = new Clock(time);
        Sampling = new Sampling(observer);
        _timetable = new Timetable(Clock, crash => TimedWorkCrashed?.Invoke(crash));
        if (byHand is not null)
        {
            _hands = new Hands(this, byHand);
            Postbox = new Postbox(this, crew: null, byHand);
            for (var i = 0; i < Threads; i++)
                _hands.Hire();
            return;
        }

        _crew = new Crew(this, options);
        Postbox = new Postbox(this, _crew, byHand: null);
        _watch = new TurnWatch(this, _crew, options);
        _leaseThread = options.SingleThread ? null : new LeaseThread(_timetable);
        try
        {
            _crew.Start();
            _watch.Start();
            _leaseThread?.Start(options);
        }
        catch
        {
            // Nobody has this scheduler to stop it: those that have started would sleep for ever.
            Stop(TimeSpan.Zero);
            throw;
        }
    }

    /// <summary>Raised, on the thread that ran it, when timed work threw. None of it is run any more: whoever leases should end the process.</summary>
    public event Action<Exception>? TimedWorkCrashed;

    public Clock Clock { get; }

    /// <summary>How many items run at once.</summary>
    public int Threads { get; }

    /// <summary>False for one that is run by hand.</summary>
    public bool HasThreads => _hands is null;

    /// <summary>How many threads wait inside a turn right now, instead of burning CPU.</summary>
    public int ThreadsBlocked => _watch?.Blocked ?? 0;

    /// <summary>How many threads may stand in for those.</summary>
    public int MaxSpareThreads => _watch is null ? 0 : _options.MostSpareThreads;

    /// <summary>For how long the threads that there are were ready to run while something else had the CPU, since they began; zero where the system does not tell.</summary>
    public TimeSpan WaitForCpu => _watch?.WaitForCpu ?? _hands?.Signals.Cpu?.Waited() ?? TimeSpan.Zero;

    /// <summary>How much CPU time this process has burnt; null for hands whose clock is not the CPU's.</summary>
    public TimeSpan? CpuTime => HasThreads ? Environment.CpuUsage.TotalTime : _hands!.Signals.Cpu?.Burnt();

    /// <summary>How many CPUs it may use.</summary>
    public double Cpus => _hands?.Signals.Cpu?.Cpus ?? CpuQuota.Cpus;

    /// <summary>How many turns burn CPU although a spare thread has their seat by now: they blocked, and go on.</summary>
    public int TurnsBeyondSeats => _watch?.BeyondSeats ?? 0;

    /// <summary>Whether so many threads are blocked that no more handlers are begun: those that are there may need what threads are left.</summary>
    public bool AreThreadsScarce => Queues.Supply != ThreadSupply.Ample;

    /// <summary>For how long timed work has been due without coming round; near zero while all is well.</summary>
    public TimeSpan TimedWorkSilence => _timetable.Silence;

    /// <summary>How many turns were run so far, as the watch last saw it.</summary>
    public long Turns => _hands?.Turns ?? _watch!.Turns;

    internal bool TakesTurns => _options.TurnOrder == TurnOrder.RoundRobin;

    internal LaneQueues Queues { get; } = new();

    internal Postbox Postbox { get; }

    internal Sampling Sampling { get; }

    internal Hands Hands => _hands ?? throw new InvalidOperationException("This scheduler has threads of its own; only one that is run by hand has hands.");

    /// <summary>How long no timed work will be due, unless it is woken.</summary>
    internal TimeSpan UntilTimedWork => _timetable.UntilDue;

    // Only a single worker runs timed work in between its items; where there is a lease thread, it does.
    internal TimeSpan UntilDueInPlace => _options.SingleThread ? Waiting.AtMost(_timetable.UntilDue) : Timeout.InfiniteTimeSpan;

    /// <summary>A scheduler without threads, for tests and simulations: <see cref="RunUntilIdle"/> runs it, on the caller's thread.</summary>
    public static LaneScheduler ByHand(TimeProvider time, ILaneObserver? observer = null, LaneSchedulerOptions? options = null) =>
        new((options ?? new()) with { SingleThread = true }, time, observer, new HandSignals(static () => { }, static () => { }, OnPool));

    /// <summary>A scheduler that has as many hands as threads are asked for, and timed work that is run by hand as well: for machines that simulate threads.</summary>
    internal static LaneScheduler ByHands(TimeProvider time, LaneSchedulerOptions options, HandSignals signals, ILaneObserver? observer = null) =>
        new(options, time, observer, signals);

    /// <summary>A new message's strand in the Process lane.</summary>
    public Strand NewStrand(byte priority, string name) => new(this, priority, name, NextOrder());

    /// <summary>Awaited: the caller goes on in that lane, as nobody's strand.</summary>
    /// <exception cref="ArgumentException">In the Process lane all is some strand's.</exception>
    public Turn Turn(Lane lane) =>
        lane != Lane.Process ? new(this, lane) : throw new ArgumentException("In the Process lane there are strands only; take a new one.", nameof(lane));

    /// <summary>For a thread that posts several things at once: others are woken once all of them are there.</summary>
    public PostGroup Together() => new(this);

    public int Queued(Lane lane) => Queues.Count(lane);

    /// <summary>What was measured of the waits in a lane since the start; nothing where there is no observer.</summary>
    public LaneWaits Waits(Lane lane) => Sampling.Waits(lane);

    /// <summary>What the threads, or the hands, do right now. Costs them nothing.</summary>
    public LaneActivity Activity() => new(_hands?.All ?? _watch!.Roll.Select(thread => thread.Worker));

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
        _hands?.Signals.TimedWorkWoken();
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
    public bool RunOne() => RunOne(Hands.First);

    /// <summary>Runs the next item as this hand's turn; false if nothing can run at the clock's present time.</summary>
    internal bool RunOne(LaneWorker hand)
    {
        var before = LaneWorker.SwitchTo(hand);
        try
        {
            AgeIfDue(Clock.Now);
            RunDueInPlace();
            return hand.RunNext();
        }
        finally
        {
            LaneWorker.SwitchTo(before);
        }
    }

    /// <summary>Runs what timed work is due, as the lease thread does.</summary>
    internal void RunTimedWork() => _timetable.RunDue();

    /// <summary>
    /// Lets the threads finish what is queued, and ends them. Work that comes later runs on the .NET thread pool, so that none is ever lost.
    /// Returns the turns that were still running when the time was up; their threads are left behind, to end by themselves.
    /// So is the caller's, if it is one of them: it is not waited for.
    /// </summary>
    public IReadOnlyList<string> Stop(TimeSpan timeout)
    {
        if (Postbox.IsClosed)
            return [];

        // Timed work goes on for as long as turns may depend on it.
        List<string> late = [.. (_crew?.Stop(timeout) ?? []).Select(thread => thread.Worker.TurnName)];
        if (_leaseThread?.Stop(s_stopTimeout) == false)
            late.Add("timed work");
        if (_watch?.Stop(s_stopTimeout) == false)
            late.Add("an observer");

        Postbox.Close();
        return late;
    }

    public void Dispose() => Stop(s_stopTimeout);

    internal long NextOrder() => Interlocked.Increment(ref _order);

    /// <summary>Called now and then: by the watch, or by the hand that runs it all.</summary>
    internal void AgeIfDue(TimeSpan now)
    {
        if (now - _aged < _options.Ageing)
            return;

        _aged = now;
        Queues.Age();
    }

    internal void RunDueInPlace()
    {
        if (_options.SingleThread)
            _timetable.RunDue();
    }

    /// <summary>The worker inside whose turn a continuation may run, as that has completed what it awaits; null where it may not.</summary>
    internal LaneWorker? InlineWorker(Strand strand, bool wasQueued)
    {
        if (LaneWorker.Of(this) is not { } worker)
            return null;

        // A turn that waits in place for a queued task can't go on before that task has run: refused, it would hang for ever.
        return wasQueued || (worker.Depth < DeepestInline && IsNextAnyway(strand, worker)) ? worker : null;
    }

    private bool IsNextAnyway(Strand strand, LaneWorker worker)
    {
        var rank = worker.Strand == strand ? strand.RankOfTurn : strand.Rank;
        return worker.Seat is not null
            && (worker.TurnLane == Lane.Receive || (worker.Strand is { } current && rank <= current.RankOfTurn))
            && Queues.WouldBeNext(rank, worker.Kept);
    }

    private static void OnPool(Action work) => PoolQueue.Add(static work => work(), work);
}
