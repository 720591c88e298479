using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>This same program, started once more; it ends with whoever started it.</summary>
internal static class Child
{
    private const string OuterCgroup = "HOLDFAST_BENCH_OUTER_CGROUP";

    /// <summary>Starts a child in that cgroup; without one, where this process is.</summary>
    public static Process Start(QuotaCgroup? cgroup, string[] arguments) =>
        Start(cgroup?.Folder, cgroup?.Outer, arguments);

    /// <summary>Starts a child where this process is, with the settings of the runtime that the worker's own process has.</summary>
    public static Process StartAsWorker(string[] arguments) =>
        Start(null, null, arguments, ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0"));

    /// <summary>Starts a child beside the quota that this process has, so that it takes nothing from it.</summary>
    public static Process StartOutside(string[] arguments) =>
        Start(Environment.GetEnvironmentVariable(OuterCgroup), null, arguments);

    /// <summary>Ends this process once its parent is gone, or wants it to.</summary>
    public static void EndWithParent() =>
        new Thread(static () =>
        {
            Console.OpenStandardInput().ReadByte();
            Environment.Exit(0);
        })
        { IsBackground = true, Name = "parent" }.Start();

    private static Process Start(string? cgroup, string? outer, string[] arguments, params (string Name, string Value)[] settings)
    {
        string[] self = Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) != "dotnet"
            ? [path]
            : [Environment.ProcessPath ?? "dotnet", typeof(Child).Assembly.Location];

        // The runtime looks at its quota as it starts: so the shell goes in first, and becomes it there.
        string[] enter = cgroup is null ? [] : ["/bin/sh", "-c", $"echo $$ > '{cgroup}/cgroup.procs' && exec \"$0\" \"$@\""];
        string[] command = [.. enter, .. self, .. arguments];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (outer is not null)
            start.Environment[OuterCgroup] = outer;
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }
}
