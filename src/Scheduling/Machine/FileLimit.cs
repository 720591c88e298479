using System.Globalization;

namespace Holdfast.Scheduling;

/// <summary>How many files this process may have open.</summary>
public static class FileLimit
{
    /// <summary>How many a process has open without a message, assemblies and connections among them, and some for what is started just now.</summary>
    public const int OfProcess = 400;

    private const string Limits = "/proc/self/limits";

    // Whoever is watched has two.
    private const int EachThread = 2;

    /// <summary>As it was when first asked for; beyond all numbers where the system does not tell.</summary>
    public static long Most { get; } = Of(Cgroup.Read(Limits));

    /// <param name="limits">What the system says of the limits. .NET has raised the soft one to the hard one.</param>
    internal static long Of(string? limits)
    {
        var line = limits?.Split('\n').FirstOrDefault(line => line.StartsWith("Max open files", StringComparison.Ordinal));
        return long.TryParse(line?.Split(' ', StringSplitOptions.RemoveEmptyEntries).ElementAtOrDefault(4), CultureInfo.InvariantCulture, out var most) ? most : long.MaxValue;
    }

    /// <summary>How many threads may be watched, where half of what the process does not need is left to handlers and brokers.</summary>
    internal static int ThreadsFor(long most) => (int)Math.Clamp((most - OfProcess) / 2 / EachThread, 1, int.MaxValue);
}
