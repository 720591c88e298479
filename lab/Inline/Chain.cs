using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Lab.Inline;

/// <summary>A chain of continuations, each of which follows the one before: made first, then set off. On the pool, or on a strand.</summary>
internal static class Chain
{
    /// <summary>Of ContinueWith, with or without ExecuteSynchronously.</summary>
    public static Links Continued(int count, Strand? strand, bool inPlace)
    {
        var scheduler = strand ?? TaskScheduler.Default;
        var options = inPlace ? TaskContinuationOptions.ExecuteSynchronously : TaskContinuationOptions.None;
        return Run(count, strand, (before, depth) => before.ContinueWith((_, seen) => ((StackDepth)seen!).Note(), depth, CancellationToken.None, options, scheduler));
    }

    /// <summary>Of awaits: in place is what they do by themselves, unless what they wait for forbids it.</summary>
    public static Links Awaited(int count, Strand? strand, bool inPlace) => Run(count, strand, inPlace ? InPlaceAsync : Queued);

    private static async Task InPlaceAsync(Task before, StackDepth depth)
    {
        await before;
        depth.Note();
    }

    private static Task Queued(Task before, StackDepth depth)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _ = QueuedAsync(before, depth, done);
        return done.Task;
    }

    private static async Task QueuedAsync(Task before, StackDepth depth, TaskCompletionSource done)
    {
        await before;
        depth.Note();
        done.SetResult();
    }

    // It is set off where it runs: only there can anything go on in place.
    private static Links Run(int count, Strand? strand, Func<Task, StackDepth, Task> link)
    {
        using var depth = new StackDepth();
        var took = TimeSpan.Zero;
        async Task MeasureAsync()
        {
            var first = new TaskCompletionSource();
            var last = first.Task;
            for (var i = 0; i < count; i++)
                last = link(last, depth);

            var start = Stopwatch.GetTimestamp();
            first.SetResult();
            await last;
            took = Stopwatch.GetElapsedTime(start);
        }

        (strand is null ? Task.Run(MeasureAsync) : strand.Run(MeasureAsync)).Wait();
        return new(took.TotalNanoseconds / count, depth.Deepest / 1024.0);
    }
}

/// <summary>What a chain cost: time for each link, and how deep a stack grew.</summary>
internal sealed record Links(double Nanoseconds, double Kilobytes);
