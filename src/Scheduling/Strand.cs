namespace Holdfast.Scheduling;

/// <summary>
/// One message's way through the Process lane: the TaskScheduler that all its continuations come back to, at the message's rank.
/// </summary>
public sealed class Strand : TaskScheduler
{
    private readonly byte _priority;
    private long _rank;
    private long _rankOfTurn;
    private Backlog _backlog;

    internal Strand(LaneScheduler lanes, byte priority, string name, long order)
    {
        Lanes = lanes;
        _priority = priority;
        Name = name;
        _rank = lanes.TakesTurns ? Scheduling.Rank.Started(priority, order) : Scheduling.Rank.Waiting(priority, order);
    }

    /// <summary>The lanes that it is on.</summary>
    public LaneScheduler Lanes { get; }

    /// <summary>Who is named when a turn of this strand takes too long.</summary>
    public string Name { get; }

    /// <summary>Whether something of it is queued for a thread, as far as one who does not take part can tell.</summary>
    public bool IsQueued => !_backlog.IsEmpty;

    public override int MaximumConcurrencyLevel => Lanes.Threads;

    /// <summary>What it is there for. Once that has ended, what is left of it goes before all other strands: work that is done has only to be reported.</summary>
    public Task? Purpose { get; set; }

    internal long Rank => IsFinished ? Scheduling.Rank.First : _rank;

    /// <summary>The rank by which it has its turn, for what goes on within that, unless there is more of it that came before.</summary>
    internal long RankOfTurn => Lanes.TakesTurns && !IsFinished && !IsQueued ? _rankOfTurn : Rank;

    internal bool HasStarted { get; private set; }

    /// <summary>Whether its next turn does not change its rank.</summary>
    internal bool KeepsRank => HasStarted && !Lanes.TakesTurns;

    /// <summary>Guarded by the Process lane's queue, as is <see cref="QueuedAtAge"/>.</summary>
    internal ref Backlog Backlog => ref _backlog;

    internal int QueuedAtAge { get; set; }

    /// <summary>The rank by which it was put there.</summary>
    internal long LinedRank { get; set; }

    /// <summary>Whether it had started when it was put there.</summary>
    internal bool IsLinedBegun { get; set; }

    /// <summary>Runs a function on this strand.</summary>
    public Task Run(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this);

    /// <inheritdoc cref="Run(Action)"/>
    public Task Run(Func<Task> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    /// <inheritdoc cref="Run(Action)"/>
    public Task<T> Run<T>(Func<Task<T>> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    /// <summary>Runs a task. False if it has run already.</summary>
    internal bool Execute(Task task) => TryExecuteTask(task);

    /// <summary>Called as it is given a turn. From its first on it ranks as started; where turns are taken, from each on behind all others.</summary>
    internal void Serve()
    {
        if (KeepsRank)
            return;

        HasStarted = true;
        _rankOfTurn = _rank;
        _rank = Scheduling.Rank.Started(_priority, Lanes.NextOrder());
    }

    protected override void QueueTask(Task task)
    {
        if ((task.CreationOptions & TaskCreationOptions.LongRunning) != 0)
            StartThread(task);
        else
            Lanes.Postbox.Post(this, task);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (Lanes.InlineWorker(this, taskWasPreviouslyQueued) is not { } worker)
        {
            KeepTurn();
            return false;
        }

        if (worker.Strand != this)
            Serve();
        worker.Depth++;
        var ran = Execute(task);
        worker.Depth--;
        return ran;
    }

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    private bool IsFinished => Purpose is { IsCompleted: true };

    // What may not go on in place, for something more urgent waits, is the rest of the same turn.
    private void KeepTurn()
    {
        if (Lanes.TakesTurns && !IsQueued && LaneWorker.Of(Lanes)?.Strand == this)
            _rank = _rankOfTurn;
    }

    // Whoever asks for that means to keep a thread for as long as it likes: one of its own, as .NET's scheduler gives it, and never a seat.
    // The task brings its execution context along.
    private void StartThread(Task task) =>
        new Thread(() => TryExecuteTask(task)) { Name = "holdfast-long-task", IsBackground = true }.UnsafeStart();
}
