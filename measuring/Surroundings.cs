using System.Diagnostics;

namespace Holdfast.Measuring;

/// <summary>What else ran on this machine while something was measured.</summary>
internal sealed class Surroundings
{
    private const double TicksPerSecond = 100;

    // In /proc/self/stat, counted after the program's name: of the children that have ended, user and system.
    private const int ChildrensUser = 13;
    private const int ChildrensSystem = 14;

    // User, nice, system, irq, softirq and steal.
    private static readonly int[] s_busyColumns = [1, 2, 3, 6, 7, 8];

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly double _own = OwnSeconds();
    private readonly double? _busy = BusySeconds();

    /// <summary>How many CPUs others used since then; null where this machine does not tell.</summary>
    public double? OtherCpus()
    {
        if (BusySeconds() - _busy is not { } busy)
            return null;

        var own = OwnSeconds() - _own;
        return Math.Max(0, (busy - own) / Stopwatch.GetElapsedTime(_start).TotalSeconds);
    }

    /// <summary>That many CPUs in words, for a note under a table.</summary>
    public static string Describe(double otherCpus)
    {
        var load = File.ReadAllText("/proc/loadavg").Split(' ')[0];
        return $"others used {otherCpus:0.0} of {File.ReadLines("/proc/stat").Count(IsCpu)} CPUs, load average {load}";
    }

    private static bool IsCpu(string line) => line.StartsWith("cpu", StringComparison.Ordinal) && char.IsAsciiDigit(line[3]);

    // With those of its children that have ended: what they did, they did for it.
    private static double OwnSeconds()
    {
        var own = Environment.CpuUsage.TotalTime.TotalSeconds;
        if (!File.Exists("/proc/self/stat"))
            return own;

        var words = File.ReadAllText("/proc/self/stat").Split(") ")[^1].Split(' ');
        return own + ((long.Parse(words[ChildrensUser]) + long.Parse(words[ChildrensSystem])) / TicksPerSecond);
    }

    // Of all CPUs, by anybody, since the machine started.
    private static double? BusySeconds()
    {
        if (!File.Exists("/proc/stat"))
            return null;

        var words = File.ReadLines("/proc/stat").First().Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return s_busyColumns.Sum(column => long.Parse(words[column])) / TicksPerSecond;
    }
}
