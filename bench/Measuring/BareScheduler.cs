using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>
/// As little as a TaskScheduler can do: runs what it is given on the one thread that drives it, first in, first out, as deep in place as a lane does,
/// and knows neither ranks nor other threads. What it costs is .NET's.
/// </summary>
internal sealed class BareScheduler : TaskScheduler
{
    private readonly Queue<Task> _queue = [];
    private int _depth;

    /// <summary>Runs work to its end, on the caller's thread.</summary>
    public Task Drive(Func<Task> work)
    {
        var all = Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, this).Unwrap();
        while (_queue.TryDequeue(out var next))
            TryExecuteTask(next);
        return all;
    }

    protected override void QueueTask(Task task) => _queue.Enqueue(task);

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (_depth == LaneScheduler.DeepestInline)
            return false;

        _depth++;
        var ran = TryExecuteTask(task);
        _depth--;
        return ran;
    }

    protected override IEnumerable<Task> GetScheduledTasks() => _queue;
}
