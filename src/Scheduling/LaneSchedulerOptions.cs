namespace Holdfast.Scheduling;

/// <summary>How many threads a <see cref="LaneScheduler"/> has, and what it watches for.</summary>
public sealed record LaneSchedulerOptions
{
    /// <summary>How many items run at once, on threads of our own: 1 to <see cref="MostThreads"/>.</summary>
    public int Threads { get; init; } = CpuQuota.WorkerThreads;

    /// <summary>Whether timed work shares the one worker thread, ordered by hand, instead of having the lease thread.</summary>
    public bool SingleThread { get; init; }

    /// <summary>How many threads may stand in for blocked ones, as far as the system lets there be so many.</summary>
    public int MaxSpareThreads { get; init; } = DefaultSpareThreads;

    /// <summary>How much nicer than the rest of the process the worker threads are (Linux). Raise it only once the pool's own threads exist: theirs is inherited.</summary>
    public int Niceness { get; init; }

    /// <summary>From when on a turn is reported as long.</summary>
    public TimeSpan LongTurn { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Whose turn is next among messages of the same priority.</summary>
    public TurnOrder TurnOrder { get; init; }

    /// <summary>How long Process work may wait before one turn in eight goes to the longest waiting, whatever its rank.</summary>
    public TimeSpan Ageing { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How many spare threads the system has.</summary>
    internal int SystemThreads { get; init; } = ThreadLimit.ForSpare;

    /// <summary>How many of those there may be at the most.</summary>
    internal int MostSpareThreads => Math.Min(MaxSpareThreads, SystemThreads);

    /// <summary>How long a spare thread stands by before it ends, and how long a system that had none is left alone.</summary>
    internal TimeSpan SparePatience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Starts a thread, where the system has one to give.</summary>
    internal Action<Thread> Start { get; init; } = static thread => thread.UnsafeStart();

    /// <summary>False where the system has no thread to give.</summary>
    internal bool TryStart(Thread thread)
    {
        try
        {
            Start(thread);
            return true;
        }
        catch (OutOfMemoryException)
        {
            return false;
        }
    }

    /// <summary>The most threads that can be idle at once is what one word has bits for.</summary>
    public const int MostThreads = 64;

    /// <summary>With fewer spare threads than that for each that may run, the last of them can't be kept for those who are there.</summary>
    public const int SparesForEachThread = 8;

    /// <summary>How many threads may stand in for blocked ones where nobody says otherwise.</summary>
    public static int DefaultSpareThreads { get; } = Math.Max(256, SparesForEachThread * CpuQuota.WorkerThreads);
}
