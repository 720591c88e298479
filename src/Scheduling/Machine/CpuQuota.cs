using System.Numerics;
using System.Runtime.InteropServices;

namespace Holdfast.Scheduling;

/// <summary>How many CPUs this process may use: its affinity, or the smallest quota from its cgroup up to the root.</summary>
public static partial class CpuQuota
{
    /// <summary>As it was when first asked for; a fraction where a quota is one.</summary>
    public static double Cpus { get; } = Math.Min(Affinity(), Smallest(Cgroup.Read));

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

/// <summary>Where the kernel keeps what it grants this process: the folders of its cgroup, of what controller where each has its own, and of all above it.</summary>
internal static class Cgroup
{
    public static List<string> Folders(Func<string, string?> read, string controller = "cpu")
    {
        var mounts = Lines(read("/proc/self/mountinfo")).Select(line => Mount.Parse(line, controller)).OfType<Mount>().ToList();
        var folders = new List<string>();
        foreach (var line in Lines(read("/proc/self/cgroup")))
        {
            if (line.Split(':', 3) is not [_, var controllers, var path])
                continue;
            var unified = controllers.Length == 0;
            if (!unified && !controllers.Split(',').Contains(controller))
                continue;
            var mount = mounts.Where(mount => mount.Unified == unified).MaxBy(mount => mount.Holds(path));
            if (mount is not null)
                folders.AddRange(mount.UpFrom(path));
        }

        return folders;
    }

    public static string? Read(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string[] Lines(string? text) => text?.Split('\n') ?? [];

    private sealed record Mount(string Root, string Point, bool Unified)
    {
        public static Mount? Parse(string line, string controller)
        {
            if (line.Split(" - ") is not [var where, var what]
                || where.Split(' ') is not [_, _, _, var root, var point, ..]
                || what.Split(' ') is not [var type, _, var options, ..])
                return null;
            var unified = type == "cgroup2";
            return unified || (type == "cgroup" && options.Split(',').Contains(controller))
                ? new Mount(root.TrimEnd('/'), point, unified)
                : null;
        }

        public bool Holds(string path) => $"{path}/".StartsWith($"{Root}/", StringComparison.Ordinal) && !path.Contains("/..");

        // A container may see its own cgroup as the mount's root under any path; the walk ends there in every case.
        public IEnumerable<string> UpFrom(string path)
        {
            var below = Holds(path) ? path[Root.Length..].TrimEnd('/') : "";
            for (var end = below.Length; end > 0; end = below.LastIndexOf('/', end - 1))
                yield return Point + below[..end];
            yield return Point;
        }
    }
}
