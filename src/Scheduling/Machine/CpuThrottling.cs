namespace Holdfast.Scheduling;

/// <summary>How long the kernel has kept this process from running because its CPU quota was burnt.</summary>
public static class CpuThrottling
{
    private static readonly List<string> s_folders = Cgroup.Folders(Cgroup.Read);

    /// <summary>Since the cgroup was made, added up over the CPUs; zero where the kernel does not say.</summary>
    public static TimeSpan Total() => Most(s_folders, Cgroup.Read);

    // Each cgroup counts only what its own quota did, and parent and child may do it at once: a sum could overstate it.
    internal static TimeSpan Most(IEnumerable<string> folders, Func<string, string?> read) =>
        folders.Select(folder => Throttled(read($"{folder}/cpu.stat"))).DefaultIfEmpty().Max();

    private static TimeSpan Throttled(string? stat)
    {
        foreach (var line in stat?.Split('\n') ?? [])
        {
            switch (line.Split(' '))
            {
                case ["throttled_usec", var text] when long.TryParse(text, out var microseconds):
                    return new TimeSpan(microseconds * TimeSpan.TicksPerMicrosecond);
                case ["throttled_time", var text] when long.TryParse(text, out var nanoseconds):
                    return new TimeSpan(nanoseconds / TimeSpan.NanosecondsPerTick);
            }
        }

        return TimeSpan.Zero;
    }
}
