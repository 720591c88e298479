using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>This same program, started once more.</summary>
internal static class Child
{
    private const string OuterCgroup = "HOLDFAST_BENCH_OUTER_CGROUP";
    private static readonly (string Name, string Value) s_noSpin = ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0");

    /// <summary>Starts a child in that cgroup; without one, where this process is.</summary>
    public static Process Start(QuotaCgroup? cgroup, string[] arguments) =>
        cgroup is null ? Start([], arguments) : Start(Into(cgroup.Folder), arguments, (OuterCgroup, cgroup.Outer));

    /// <summary>Starts a child where this process is, with the settings of the runtime that the worker's own process has.</summary>
    public static Process StartAsWorker(string[] arguments, params (string Name, string Value)[] settings) =>
        Start([], arguments, [s_noSpin, .. settings]);

    /// <summary>The same, but whatever else runs on this machine comes first.</summary>
    public static Process StartAsNiceWorker(string[] arguments) =>
        Start(OperatingSystem.IsWindows() ? [] : ["nice", "-n", "10"], arguments, s_noSpin);

    /// <summary>Starts a child beside the quota that this process has, so that it takes nothing from it.</summary>
    public static Process StartOutside(string[] arguments) =>
        Start(Environment.GetEnvironmentVariable(OuterCgroup) is { } outer ? Into(outer) : [], arguments);

    // The runtime looks at its quota as it starts: so the shell goes in first, and becomes it there.
    private static string[] Into(string cgroup) => ["/bin/sh", "-c", $"echo $$ > '{cgroup}/cgroup.procs' && exec \"$0\" \"$@\""];

    private static Process Start(string[] enter, string[] arguments, params (string Name, string Value)[] settings) =>
        OwnProcess.Start(typeof(Child).Assembly, arguments, enter, settings);
}
