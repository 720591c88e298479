namespace Holdfast.Bench;

/// <summary>Rows that show Holdfast beside the .NET thread pool.</summary>
internal static class Comparison
{
    public static string[] Columns { get; } = ["what", "Holdfast", "thread pool", "ratio"];

    /// <summary>Ours may be at most that many times theirs.</summary>
    public static Row Ratio(string what, double[] ours, double[] theirs, double most)
    {
        var ratio = Reading.Ratio(ours, theirs);
        return new([what, $"{Reading.Median(ours)}", $"{Reading.Median(theirs)}", $"{ratio}"], $"ratio at most {most}", ratio.Value <= most, IsRelative: true);
    }

    /// <summary>Ours may be at most that many bytes more than theirs.</summary>
    public static Row Extra(string what, double[] ours, double[] theirs, double most)
    {
        var (our, their) = (Reading.Median(ours), Reading.Median(theirs));

        // Whole bytes: the fractions are what a round allocates once.
        var extra = Math.Round(our.Value - their.Value);
        return new([what, $"{our}", $"{their}", $"{(extra < 0 ? "" : "+")}{Number.Show(extra)}"], $"at most {most} more", extra <= most, IsRelative: true);
    }

    /// <summary>Wall time, CPU time and bytes of an operation.</summary>
    public static Row[] Costs(string what, Cost[] ours, Cost[] theirs, double mostTime, double mostBytes) =>
    [
        Ratio($"{what}, ns on the clock", [.. ours.Select(cost => cost.WallNanoseconds)], [.. theirs.Select(cost => cost.WallNanoseconds)], mostTime),
        Ratio($"{what}, ns of CPU", [.. ours.Select(cost => cost.CpuNanoseconds)], [.. theirs.Select(cost => cost.CpuNanoseconds)], mostTime),
        Extra($"{what}, bytes", [.. ours.Select(cost => cost.Bytes)], [.. theirs.Select(cost => cost.Bytes)], mostBytes),
    ];
}
