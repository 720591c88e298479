using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>A cgroup with a CPU quota, below the one this process is in; version 1 or 2.</summary>
internal sealed class QuotaCgroup : IDisposable
{
    private const int Period = 100_000;

    private QuotaCgroup(string outer, double cpus)
    {
        Outer = outer;
        Folder = Path.Combine(outer, $"holdfast-bench-{Environment.ProcessId}");
        Directory.CreateDirectory(Folder);
        var quota = (int)(cpus * Period);
        if (File.Exists(Path.Combine(Folder, "cpu.cfs_quota_us")))
        {
            File.WriteAllText(Path.Combine(Folder, "cpu.cfs_period_us"), $"{Period}");
            File.WriteAllText(Path.Combine(Folder, "cpu.cfs_quota_us"), $"{quota}");
        }
        else
        {
            File.WriteAllText(Path.Combine(outer, "cgroup.subtree_control"), "+cpu");
            File.WriteAllText(Path.Combine(Folder, "cpu.max"), $"{quota} {Period}");
        }
    }

    public string Outer { get; }

    public string Folder { get; }

    /// <summary>Null where that can't be done.</summary>
    public static QuotaCgroup? TryMake(double cpus)
    {
        foreach (var outer in Cgroup.Folders(Cgroup.Read))
        {
            try
            {
                return new QuotaCgroup(outer, cpus);
            }
            catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
            {
                RemoveFrom(outer);
            }
        }

        return null;
    }

    public void Dispose() => RemoveFrom(Outer);

    private static void RemoveFrom(string outer)
    {
        try
        {
            Directory.Delete(Path.Combine(outer, $"holdfast-bench-{Environment.ProcessId}"));
        }
        catch (IOException)
        {
            // Never made, or not empty yet: an empty cgroup left behind does nothing.
        }
    }
}
