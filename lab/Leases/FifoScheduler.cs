namespace Holdfast.Lab.Leases;

/// <summary>Continuations in the order in which they came, on threads of a machine: what most task schedulers do.</summary>
internal sealed class FifoScheduler : TaskScheduler
{
    private readonly Lock _gate = new();
    private readonly Queue<Task> _tasks = new();
    private readonly Stack<Action> _resting = new();
    private readonly IMachine _machine;
    private ITimer? _growth;

    public FifoScheduler(IMachine machine, int threads)
    {
        _machine = machine;
        for (var i = 0; i < threads; i++)
            AddThread();
    }

    public int Threads { get; private set; }

    /// <summary>A pool that grows as the published one must have: one more thread after each such time at whose end work waits.</summary>
    public static FifoScheduler Pool(IMachine machine, Story story)
    {
        var pool = new FifoScheduler(machine, story.PoolThreads);
        pool._growth = machine.Time.CreateTimer(_ => pool.Grow(), null, story.PoolGrowth, story.PoolGrowth);
        return pool;
    }

    protected override void QueueTask(Task task)
    {
        Action? wake;
        lock (_gate)
        {
            _tasks.Enqueue(task);
            _resting.TryPop(out wake);
        }

        wake?.Invoke();
    }

    // Whoever comes takes a place at the end.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (_gate)
            return [.. _tasks];
    }

    private void Grow()
    {
        lock (_gate)
        {
            if (_tasks.Count == 0)
                return;
        }

        AddThread();
    }

    private void AddThread()
    {
        Action? wake = null;
        wake = _machine.NewThread($"fifo-{++Threads}", () => RunNext(wake!));
        wake();
    }

    private bool RunNext(Action wake)
    {
        Task? task;
        lock (_gate)
        {
            if (!_tasks.TryDequeue(out task))
            {
                _resting.Push(wake);
                return false;
            }
        }

        return TryExecuteTask(task);
    }
}
