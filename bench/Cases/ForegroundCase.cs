using System.Collections.Concurrent;
using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>Whether urgent work starts at once although much other work is queued, and what that costs the other work.</summary>
internal static class ForegroundCase
{
    private const int Items = 10_000;
    private const double HalfAnItem = 75;
    private const double MostMilliseconds = 1;
    private const double MostTime = 1;
    private const double Percent = 99;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(3);

    public static Case Case { get; } = new(
        "foreground",
        $"work of high priority starts within {MostMilliseconds} ms (p{Percent}) with {Items:#,0} items queued, which take no longer than on the pool.",
        Comparison.Columns,
        [new("10,000 queued", Measure)]);

    private static Outcome Measure(Scale scale)
    {
        using var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);
        var rounds = Interleaved.Run(
            scale.Pick(1, 0),
            scale.Pick(15, 1),
            () => Run(body => lanes.NewStrand(0, "background").Run(body), item => lanes.NewStrand(9, "foreground").Run(item)),
            () => Run(Task.Run, item => ThreadPool.UnsafeQueueUserWorkItem(_ => item(), null)));

        return new(
        [
            Start("p50", 50, rounds),
            Start($"p{Percent}", Percent, rounds, isJudged: true),
            Start("most", 100, rounds),
            Comparison.Ratio("the background's ms", Totals(rounds[0]), Totals(rounds[1]), MostTime),
        ]);
    }

    private static double[] Totals(Round[] rounds) => [.. rounds.Select(round => round.Total.TotalMilliseconds)];

    private static Row Start(string name, double percent, Round[][] rounds, bool isJudged = false)
    {
        var ours = Reading.Percentile(percent, [.. rounds[0].Select(round => round.Starts)]);
        var theirs = Reading.Percentile(percent, [.. rounds[1].Select(round => round.Starts)]);
        string[] cells = [$"the foreground's start, ms, {name}", $"{ours}", $"{theirs}", Number.Show(ours.Value / theirs.Value)];
        return isJudged ? new(cells, $"at most {MostMilliseconds}", ours.Value <= MostMilliseconds) : new(cells);
    }

    private static Round Run(Func<Func<Task>, Task> background, Action<Action> foreground)
    {
        var starts = new ConcurrentQueue<double>();
        var began = Stopwatch.GetTimestamp();
        var all = Task.WhenAll(Enumerable.Range(0, Items).Select(_ => background(ItemAsync)));
        var total = all.ContinueWith(_ => Stopwatch.GetElapsedTime(began), TaskContinuationOptions.ExecuteSynchronously);

        var posted = 0;
        while (!all.IsCompleted)
        {
            var postedAt = Stopwatch.GetTimestamp();
            foreground(() => starts.Enqueue(Stopwatch.GetElapsedTime(postedAt).TotalMilliseconds));
            posted++;
            Thread.Sleep(s_pause);
        }

        // All of them start sooner or later: none is left out.
        while (starts.Count < posted)
            Thread.Sleep(1);
        return new(total.Result, [.. starts]);
    }

    private static async Task ItemAsync()
    {
        Burn.Work(HalfAnItem);
        await Task.Yield();
        Burn.Work(HalfAnItem);
    }

    /// <summary>How long the background took, and how many milliseconds each piece of foreground work waited.</summary>
    private sealed record Round(TimeSpan Total, double[] Starts);
}
