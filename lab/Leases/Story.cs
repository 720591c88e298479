namespace Holdfast.Lab.Leases;

/// <summary>What is to be done with how many messages, and under which leases: the published experiment, with the figures that it left open.</summary>
internal sealed record Story
{
    public int Messages { get; init; } = 100;

    public int Turns { get; init; } = 20;

    /// <summary>For how long each turn holds a thread.</summary>
    public TimeSpan Cpu { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a message then waits for its next turn.</summary>
    public TimeSpan Io { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>How long the published loop rests before it receives the next message; not published.</summary>
    public TimeSpan Rest { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>How long a receive takes; not published.</summary>
    public TimeSpan Receive { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>How long a lock lasts; not published.</summary>
    public TimeSpan Lock { get; init; } = TimeSpan.FromSeconds(12);

    /// <summary>How long a lease's loop waits before it refreshes; not published.</summary>
    public TimeSpan Refresh { get; init; } = TimeSpan.FromSeconds(7.8);

    /// <summary>For how long a refresh holds a thread; not published.</summary>
    public TimeSpan RefreshCpu { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>After how long the thread pool starts one more thread while work waits; not published.</summary>
    public TimeSpan PoolGrowth { get; init; } = TimeSpan.FromSeconds(1.75);

    /// <summary>How many threads the pool has at first.</summary>
    public int PoolThreads { get; init; } = 2;

    /// <summary>What the CPU alone needs on one thread.</summary>
    public TimeSpan CpuAlone => Cpu * Turns * Messages;

    /// <summary>The same in so many times less time.</summary>
    public Story Faster(double times) => this with
    {
        Cpu = Cpu / times,
        Io = Io / times,
        Rest = Rest / times,
        Receive = Receive / times,
        Lock = Lock / times,
        Refresh = Refresh / times,
        RefreshCpu = RefreshCpu / times,
        PoolGrowth = PoolGrowth / times,
    };
}
