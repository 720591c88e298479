namespace Holdfast.Lab.Awaits;

/// <summary>What was found about the price of awaits, in words, a table and a chart.</summary>
internal static class AwaitsReport
{
    private const string Published = "Published: the means of seven methods that each wait for 100 ms, on BenchmarkDotNet.";

    private static readonly (string Method, string Title, double Published)[] s_rows =
    [
        (nameof(AwaitsBenchmark.Sleep), "sleep 100 ms, synchronously", 108.2),
        (nameof(AwaitsBenchmark.SleepElsewhere), "await Task.Run of that sleep", 108.6),
        (nameof(AwaitsBenchmark.Nested), "the same, awaits nested", 108.4),
        (nameof(AwaitsBenchmark.NestedWithoutContext), "the same, with ConfigureAwait(false)", 108.4),
        (nameof(AwaitsBenchmark.OneAfterAnother), "ten delays of 10 ms, one after the other", 156.5),
        (nameof(AwaitsBenchmark.AllMadeFirst), "WhenAll of ten delays of 100 ms, made first", 108.5),
        (nameof(AwaitsBenchmark.AllMadeInside), "WhenAll of ten delays of 100 ms, made inside", 108.5),
    ];

    public static Report Of(AwaitsFinding[] found) => new(Published, [Table(found)], Findings(found))
    {
        Charts = [new("", "Milliseconds, published and ours", BarChart.Of("awaits", [.. s_rows.SelectMany(row => Bars(row, found))]))],
    };

    private static string[] Findings(AwaitsFinding[] found)
    {
        var (sequential, together) = (MeanOf(nameof(AwaitsBenchmark.OneAfterAnother)), MeanOf(nameof(AwaitsBenchmark.AllMadeFirst)));
        var dearest = s_rows.Max(row => Math.Abs(Reading(Find(found, row.Method, onLane: true)).Value - MeanOf(row.Method)));
        return
        [
            $"The published milliseconds above 100 are the timer's of Windows, which ticks every 15.6 ms: a hundred become seven ticks, 109 ms, and ten times ten become ten ticks, 156 ms. Linux has finer timers, so little is added here: {sequential:0.0} ms for ten delays one after the other, {together:0.0} ms for ten at once. What was shown then holds here too: an await, nested or not, with or without `ConfigureAwait(false)`, costs nothing that could be seen beside what is waited for; each delay comes a little late; and only where one is awaited after the other does that add up.",
            $"On a lane every await comes back to its strand, past a queue and perhaps to another thread. The means differ by {dearest:0.0} ms at the most. [dispatch](benchmarks.md) measures that way by itself.",
        ];

        double MeanOf(string method) => Reading(Find(found, method, onLane: false)).Value;
    }

    private static ReportTable Table(AwaitsFinding[] found) => new(
        "Mean milliseconds",
        ["method", "published", "here", "on a lane"],
        [.. s_rows.Select(row => (string[])[row.Title, $"{row.Published:0.0}", Mean(Find(found, row.Method, onLane: false)), Mean(Find(found, row.Method, onLane: true))])]);

    private static IEnumerable<Bar> Bars((string Method, string Title, double Published) row, AwaitsFinding[] found) =>
    [
        new(row.Title, "published", new(row.Published, row.Published, row.Published)),
        new(row.Title, "here", Reading(Find(found, row.Method, onLane: false))),
        new(row.Title, "on a lane", Reading(Find(found, row.Method, onLane: true))) { IsOurs = true },
    ];

    private static AwaitsFinding Find(AwaitsFinding[] found, string method, bool onLane) =>
        found.Single(one => one.Method == method && one.OnLane == onLane);

    private static string Mean(AwaitsFinding one) => Reading(one).Show(value => $"{value:0.0}");

    private static Reading Reading(AwaitsFinding one) => new(one.Milliseconds.Average(), one.Milliseconds.Min(), one.Milliseconds.Max());
}
