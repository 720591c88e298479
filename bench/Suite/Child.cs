using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>This same program, started once more.</summary>
internal static class Child
{
    private const string OuterCgroup = "HOLDFAST_BENCH_OUTER_CGROUP";

    /// <summary>Starts a child in that cgroup; without one, where this process is.</summary>
    public static Process Start(QuotaCgroup? cgroup, string[] arguments) =>
        cgroup is null ? Start((string?)null, arguments) : Start(cgroup.Folder, arguments, (OuterCgroup, cgroup.Outer));

    /// <summary>Starts a child where this process is, with the settings of the runtime that the worker's own process has.</summary>
    public static Process StartAsWorker(string[] arguments, params (string Name, string Value)[] settings) =>
        Start((string?)null, arguments, [("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0"), .. settings]);

    /// <summary>Starts a child beside the quota that this process has, so that it takes nothing from it.</summary>
    public static Process StartOutside(string[] arguments) =>
        Start(Environment.GetEnvironmentVariable(OuterCgroup), arguments);

    private static Process Start(string? cgroup, string[] arguments, params (string Name, string Value)[] settings)
    {
        // The runtime looks at its quota as it starts: so the shell goes in first, and becomes it there.
        string[] enter = cgroup is null ? [] : ["/bin/sh", "-c", $"echo $$ > '{cgroup}/cgroup.procs' && exec \"$0\" \"$@\""];
        return OwnProcess.Start(typeof(Child).Assembly, arguments, enter, settings);
    }
}
