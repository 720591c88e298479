namespace Holdfast.Scheduling;

/// <summary>
/// Where work is posted: it goes into its lane's queue, or into the poster's own keeping, and somebody is seen to who takes it up.
/// Any thread.
/// </summary>
internal sealed class Postbox(LaneScheduler lanes, Crew? crew, HandSignals? byHand)
{
    private readonly LaneQueues _queues = lanes.Queues;
    private bool _isClosed;

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Posts to the Lease or the Receive lane.</summary>
    public void Post(Lane lane, Action rest)
    {
        _queues.Enqueue(lane, rest, Mark());
        WakeAfterPost(endsTurn: true);
    }

    /// <summary>
    /// Posts to the Process lane. What would be next anyway is kept for this thread's next turn, past the shared queue,
    /// where that comes at once or every other thread is busy.
    /// </summary>
    public void Post(Strand strand, Task task)
    {
        var worker = LaneWorker.Of(lanes) is { Seat: not null } seated ? seated : null;
        var endsTurn = worker is not null && EndsTurn(worker, task);
        var own = endsTurn || crew is not { AnyIdle: true } ? worker : null;
        var isKept = _queues.Enqueue(strand, new Work(strand, task, null, Mark()), own?.Kept);
        if (!isKept || !endsTurn || IsClosed)
            WakeAfterPost();
    }

    /// <summary>Wakes for what was posted in a group, if none of those who are awake has taken all of it.</summary>
    public void WakeAfterGroup()
    {
        if (!_queues.IsEmpty)
            WakeAfterPost();
    }

    /// <summary>Shares what a worker keeps, or has posted, for its own next turn: that is far off.</summary>
    public void Share(LaneWorker worker)
    {
        _queues.Share(worker.Kept);
        WakeForShared();
    }

    /// <summary>Wakes for what somebody had meant to run next himself.</summary>
    public void WakeForShared()
    {
        if (!_queues.IsEmpty)
            Wake();
    }

    /// <summary>From here on work runs on the .NET thread pool: there are no threads of ours any more.</summary>
    public void Close()
    {
        Volatile.Write(ref _isClosed, true);
        Interlocked.MemoryBarrier();
        ForwardToPool();
    }

    // Who yields leaves his turn (.NET tells that a task comes from a yield), a task that has completed only calls who waited for it,
    // and a chain that may not go deeper has come to the end of its own.
    private static bool EndsTurn(LaneWorker worker, Task task) => worker.Depth == 0
        ? task.CreationOptions == TaskCreationOptions.PreferFairness || worker.Task is { IsCompleted: true }
        : worker.Depth == LaneScheduler.DeepestInline;

    private Postmark Mark() => lanes.Sampling.PostWeight() is var weight and > 0 ? new(lanes.Clock.Time.GetTimestamp(), weight) : Postmark.None;

    // The caller has put a full fence between making its work visible and this look at who sleeps.
    private void WakeAfterPost(bool endsTurn = false)
    {
        if (IsClosed)
            ForwardToPool();
        else if (crew is not { AnyIdle: false } && !PostGroup.IsOpen(lanes) && !IsNextHere(endsTurn))
            Wake();
    }

    private void Wake()
    {
        if (crew is { AnyIdle: true })
            crew.Call();
        else
            byHand?.Posted();
    }

    // To wake a thread costs more than most turns. Whoever awaits a turn ends the one that he is in, and the engine's own are short: what is posted
    // there this thread runs next itself, if nothing else waits. Should its turn become long after all, the watch sees it.
    private bool IsNextHere(bool endsTurn) =>
        LaneWorker.Of(lanes) is { Depth: 0, Seat: not null } worker && (endsTurn || worker.TurnLane != Lane.Process) && !_queues.HasSeveral;

    private void ForwardToPool()
    {
        while (_queues.TryTakeAny(out var work))
        {
            if (byHand is null)
                PoolQueue.Add(static work => work.Run(), work);
            else
                byHand.Elsewhere(work.Run);
        }
    }
}
