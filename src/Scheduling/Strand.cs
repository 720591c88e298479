using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Scheduling;

/// <summary>
/// One message's way through the Process lane: the TaskScheduler that all its continuations come back to, at the message's rank.
/// </summary>
public sealed class Strand : TaskScheduler, IThreadPoolWorkItem
{
    private readonly LaneScheduler _lanes;
    private readonly byte _priority;
    private Task? _first;
    private ConcurrentQueue<Task>? _others;
    private int _count;
    private bool _started;

    internal Strand(LaneScheduler lanes, byte priority, string name, long order)
    {
        _lanes = lanes;
        _priority = priority;
        Name = name;
        Rank = Scheduling.Rank.Waiting(priority, order);
    }

    /// <summary>Who is named when a turn of this strand takes too long.</summary>
    public string Name { get; }

    public override int MaximumConcurrencyLevel => _lanes.Threads;

    internal long Rank { get; private set; }

    /// <summary>Runs a function on this strand.</summary>
    public Task Run(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this);

    /// <inheritdoc cref="Run(Action)"/>
    public Task Run(Func<Task> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();

    // The lane holds a strand once, however many tasks it has; with more of them it goes back before this one runs, so that others can run beside it.
    void IThreadPoolWorkItem.Execute()
    {
        if (!TryTake(out var task))
        {
            _lanes.Post(this, Rank);
            return;
        }

        Begin();
        if (Interlocked.Decrement(ref _count) > 0)
            _lanes.Post(this, Rank);
        TryExecuteTask(task);
    }

    protected override void QueueTask(Task task)
    {
        var isFirst = Interlocked.Increment(ref _count) == 1;
        if (isFirst)
            Volatile.Write(ref _first, task);
        else
            Others.Enqueue(task);

        if (isFirst)
            _lanes.Post(this, Rank);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (!_lanes.TryEnterInline(this, taskWasPreviouslyQueued))
            return false;

        Begin();
        var ran = TryExecuteTask(task);
        LaneScheduler.LeaveInline();
        return ran;
    }

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    private ConcurrentQueue<Task> Others => _others ?? Interlocked.CompareExchange(ref _others, new(), null) ?? _others;

    // Only the thread that took the strand from its lane comes here, until it counts down. False where a task was counted but has yet to be put in.
    private bool TryTake([NotNullWhen(true)] out Task? task)
    {
        task = Volatile.Read(ref _first);
        if (task is null)
            return Others.TryDequeue(out task);

        Volatile.Write(ref _first, null);
        return true;
    }

    private void Begin()
    {
        if (_started)
            return;

        _started = true;
        Rank = Scheduling.Rank.Started(_priority, _lanes.NextOrder());
    }
}
