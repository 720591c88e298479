using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Lab.Inline;

/// <summary>One task, and as many continuations as can run at once, each of which has much to do: one after the other, or all at once?</summary>
/// <remarks>What is returned is how many times as long as one alone they took: 1 where all ran at once, their number where each waited for the one before.</remarks>
internal static class Fan
{
    public static int Width { get; } = CpuQuota.WorkerThreads;

    public static double Continued(TimeSpan work, TaskContinuationOptions options) =>
        Run(work, null, (task, body) => Task.FromResult(task.ContinueWith(_ => body(), CancellationToken.None, options, TaskScheduler.Default)));

    public static double Awaited(TimeSpan work, LaneScheduler? lanes) =>
        Run(work, lanes, (task, body) => On(lanes, () => AwaitAsync(task, body)));

    private static async Task AwaitAsync(Task task, Action body)
    {
        await task;
        body();
    }

    // The outer task ends as soon as the inner one has begun to wait.
    private static Task<T> On<T>(LaneScheduler? lanes, Func<T> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.None, lanes is null ? TaskScheduler.Default : lanes.NewStrand(0, "fan"));

    private static double Run(TimeSpan work, LaneScheduler? lanes, Func<Task, Action, Task<Task>> follow)
    {
        var source = new TaskCompletionSource();
        var waiting = Enumerable.Range(0, Width).Select(_ => follow(source.Task, () => Burn.Work(work.TotalMicroseconds))).ToArray();
        Task.WaitAll(waiting);

        var start = Stopwatch.GetTimestamp();
        _ = On(lanes, source.TrySetResult);
        Task.WaitAll([.. waiting.Select(outer => outer.Result)]);
        return Stopwatch.GetElapsedTime(start) / work;
    }
}
