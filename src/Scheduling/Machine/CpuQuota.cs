using System.Numerics;
using System.Runtime.InteropServices;

namespace Holdfast.Scheduling;

/// <summary>How many CPUs this process may use: its affinity, or the smallest quota from its cgroup up to the root.</summary>
public static partial class CpuQuota
{
    private static readonly double s_quota = Smallest(Cgroup.Read);

    /// <summary>As it was when first asked for; a fraction where a quota is one.</summary>
    public static double Cpus { get; } = Math.Min(Affinity(), s_quota);

    /// <summary>Whether it is a quota: once that is used up the kernel stops all threads, where else they would take turns.</summary>
    public static bool IsQuota => s_quota <= Cpus;

    /// <summary>Rounded down: with more threads than the quota feeds, the kernel freezes them all, the lease thread too. No more than there can be.</summary>
    public static int WorkerThreads => ThreadsFor(Cpus);

    internal static int ThreadsFor(double cpus) => (int)Math.Clamp(cpus, 1, LaneSchedulerOptions.MostThreads);

    internal static double Smallest(Func<string, string?> read) =>
        Cgroup.Folders(read).Select(folder => Of(folder, read)).Append(double.PositiveInfinity).Min();

    private static double Of(string folder, Func<string, string?> read)
    {
        var text = read($"{folder}/cpu.max") ?? $"{read($"{folder}/cpu.cfs_quota_us")} {read($"{folder}/cpu.cfs_period_us")}";
        var words = text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);

        // "max" and -1 stand for no quota; neither parses as one.
        return words is [var first, var second]
            && long.TryParse(first, out var quota) && quota > 0
            && long.TryParse(second, out var period) && period > 0
            ? (double)quota / period
            : double.PositiveInfinity;
    }

    // Not Environment.ProcessorCount: it rounds a quota up, and says whatever DOTNET_PROCESSOR_COUNT does.
    private static int Affinity()
    {
        // Room for 8,192 CPUs, the most that Linux is built for.
        Span<ulong> mask = stackalloc ulong[128];
        mask.Clear();
        if (!OperatingSystem.IsLinux()
            || GetAffinity(Environment.ProcessId, (nuint)mask.Length * sizeof(ulong), ref mask[0]) != 0)
            return Environment.ProcessorCount;

        var cpus = 0;
        foreach (var word in mask)
            cpus += BitOperations.PopCount(word);
        return cpus;
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity")]
    private static partial int GetAffinity(int pid, nuint size, ref ulong mask);
}
