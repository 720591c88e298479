using System.Collections.Concurrent;

namespace Holdfast.Lab.Leases;

/// <summary>Continuations in the order in which they came, on threads of a machine: what most task schedulers do.</summary>
internal sealed class FifoScheduler : TaskScheduler
{
    private readonly ConcurrentQueue<Task> _tasks = new();
    private readonly List<Action> _wakes = [];
    private readonly IMachine _machine;
    private ITimer? _growth;

    public FifoScheduler(IMachine machine, int threads)
    {
        _machine = machine;
        for (var i = 0; i < threads; i++)
            AddThread();
    }

    public int Threads => _wakes.Count;

    /// <summary>Starts one more thread after each such time at whose end work waits, as the .NET pool does when its threads are held.</summary>
    public FifoScheduler GrowEvery(TimeSpan time)
    {
        _growth = _machine.Time.CreateTimer(_ => Grow(), null, time, time);
        return this;
    }

    protected override void QueueTask(Task task)
    {
        _tasks.Enqueue(task);
        foreach (var wake in _wakes)
            wake();
    }

    // Whoever comes takes a place at the end.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    protected override IEnumerable<Task> GetScheduledTasks() => _tasks;

    private void Grow()
    {
        if (!_tasks.IsEmpty)
            AddThread();
    }

    private void AddThread()
    {
        var wake = _machine.NewThread($"fifo-{Threads + 1}", RunNext);
        _wakes.Add(wake);
        wake();
    }

    private bool RunNext() => _tasks.TryDequeue(out var task) && TryExecuteTask(task);
}
