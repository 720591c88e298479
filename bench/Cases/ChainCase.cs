using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>Whether a long chain of continuations grows the stack, and how long it takes.</summary>
internal static class ChainCase
{
    private const int Links = 100_000;
    private const double MostTime = 1;
    private const double MostKilobytes = 64;
    private const double BytesInOne = 1024;

    public static Case Case { get; } = new(
        "chain",
        $"a chain of {Links:#,0} continuations on one lane takes no longer than on the thread pool, and no more than {MostKilobytes} KB of stack.",
        [.. Comparison.Columns, "as little as a TaskScheduler can do", "ratio"],
        [
            Part("ContinueWith", depth => ContinuedAsync(depth, TaskContinuationOptions.None)),
            Part("ContinueWith, ExecuteSynchronously", depth => ContinuedAsync(depth, TaskContinuationOptions.ExecuteSynchronously)),
            Part("await: each completes the next", AwaitedAsync),
            Part("await: each queues the next", YieldedAsync),
        ]);

    private static Part Part(string what, Func<StackDepth, Task<TimeSpan>> chain) => new(what, scale => Measure(scale, what, chain));

    private static Outcome Measure(Scale scale, string what, Func<StackDepth, Task<TimeSpan>> chain)
    {
        using var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);
        var bare = new BareScheduler();
        var (ours, theirs, least) = (new StackDepth(), new StackDepth(), new StackDepth());
        var rounds = Interleaved.Run(
            scale.Pick(5, 1),
            scale.Pick(51, 2),
            () => Time(body => lanes.NewStrand(0, "chain").Run(body), () => chain(ours)),
            () => Time(Task.Run, () => chain(theirs)),
            () => Time(bare.Drive, () => chain(least)));

        var time = Comparison.Ratio($"{what}, ms", rounds[0], rounds[1], MostTime);
        return new(
        [
            time with { Cells = [.. time.Cells, $"{Reading.Median(rounds[2])}", $"{Reading.Ratio(rounds[0], rounds[2])}"] },
            new(
                [$"{what}, KB of stack", Kilobytes(ours), Kilobytes(theirs), "", Kilobytes(least), ""],
                $"at most {MostKilobytes}",
                ours.Deepest / BytesInOne <= MostKilobytes,
                IsRelative: true),
        ]);
    }

    private static string Kilobytes(StackDepth depth) => Number.Show(depth.Deepest / BytesInOne);

    private static double Time(Func<Func<Task>, Task> run, Func<Task<TimeSpan>> chain)
    {
        var time = TimeSpan.Zero;
        run(async () => time = await chain()).Wait();
        return time.TotalMilliseconds;
    }

    private static Task<TimeSpan> ContinuedAsync(StackDepth depth, TaskContinuationOptions options) =>
        SetOffAsync(before => before.ContinueWith((_, seen) => ((StackDepth)seen!).Note(), depth, CancellationToken.None, options, TaskScheduler.Current));

    private static Task<TimeSpan> AwaitedAsync(StackDepth depth) => SetOffAsync(before => LinkAsync(before, depth));

    // It is set off where it runs: only there can anything go on in place.
    private static async Task<TimeSpan> SetOffAsync(Func<Task, Task> link)
    {
        var first = new TaskCompletionSource();
        var last = first.Task;
        for (var i = 0; i < Links; i++)
            last = link(last);

        var start = Stopwatch.GetTimestamp();
        first.SetResult();
        await last;
        return Stopwatch.GetElapsedTime(start);
    }

    private static async Task LinkAsync(Task before, StackDepth depth)
    {
        await before;
        depth.Note();
    }

    private static async Task<TimeSpan> YieldedAsync(StackDepth depth)
    {
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < Links; i++)
        {
            await Task.Yield();
            depth.Note();
        }

        return Stopwatch.GetElapsedTime(start);
    }
}
