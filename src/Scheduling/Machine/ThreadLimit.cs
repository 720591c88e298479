namespace Holdfast.Scheduling;

/// <summary>How many threads this process may have: its cgroup's limit, or that of one above, where there is any.</summary>
public static class ThreadLimit
{
    // The runtime's own, the host's, the brokers' and ours that run no handlers.
    private const int Others = 32;

    /// <summary>What spare threads, and the .NET pool, may have of it each; beyond all numbers where there is no limit. As it was when first asked for.</summary>
    public static int ForEach { get; } = ShareOf(Smallest(Cgroup.Read), CpuQuota.WorkerThreads);

    /// <summary>What spare threads may have: each is watched, and takes files for it.</summary>
    internal static int ForSpare { get; } = Math.Min(ForEach, FileLimit.ThreadsFor(FileLimit.Most));

    /// <summary>What is told where no scheduler can be without the thread that was refused.</summary>
    internal static InvalidOperationException Met(string whose) =>
        new($"The system gives no thread for {whose}: there is a limit on the threads of this process, its user or its container. Raise that, or lower Threads.");

    internal static int ShareOf(long most, int workers) => (int)Math.Clamp((most - Others - workers) / 2, 1, int.MaxValue);

    internal static long Smallest(Func<string, string?> read) =>
        Cgroup.Folders(read, "pids").Select(folder => Of(folder, read)).Append(long.MaxValue).Min();

    // "max" stands for none, and does not parse.
    private static long Of(string folder, Func<string, string?> read) =>
        long.TryParse(read($"{folder}/pids.max"), out var most) ? most : long.MaxValue;
}
