using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>What a continuation through a lane costs, beside one through the thread pool.</summary>
internal static class DispatchCase
{
    private const int Tasks = 100;
    private const int Threads = 2;
    private const double MostTime = 1.1;
    private const double MostBytes = 64;

    public static Case Case { get; } = new(
        "dispatch",
        $"a continuation through a lane costs at most {MostTime} times one through the .NET thread pool, and {MostBytes} bytes more.",
        Comparison.Columns,
        [
            new("yield", Yield),
            new("completion", Complete),
            new("post", Post),
            new("start", Start),
        ]);

    // Each task's continuations follow one another, those of the others beside it.
    private static Outcome Yield(Scale scale)
    {
        using var lanes = NewLanes();
        var times = scale.Pick(10_000, 1_000);
        return Compare(
            "await Task.Yield()",
            scale,
            () => Cost.OfEach(Tasks * times, () => RunAll(task => OnStrand(lanes, task, () => YieldAsync(times)))),
            () => Cost.OfEach(Tasks * times, () => RunAll(_ => Task.Run(() => YieldAsync(times)))));
    }

    // This thread completes what the tasks await.
    private static Outcome Complete(Scale scale)
    {
        using var lanes = NewLanes();
        var times = scale.Pick(4_000, 400);
        return Compare(
            "await of a source completed by another thread",
            scale,
            () => CompleteAll(times, (task, body) => OnStrand(lanes, task, body)),
            () => CompleteAll(times, (_, body) => Task.Run(body)));
    }

    private static Outcome Post(Scale scale)
    {
        using var lanes = NewLanes();
        var times = scale.Pick(400_000, 40_000);
        return Compare(
            "post of a ready item to the Lease lane",
            scale,
            () => Posting.Measure(times, item => lanes.Postbox.Post(Lane.Lease, item.Run)),
            () => Posting.Measure(times, item => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false)));
    }

    private static Outcome Start(Scale scale)
    {
        using var lanes = NewLanes();
        var strand = lanes.NewStrand(0, "start");
        var times = scale.Pick(400_000, 40_000);
        return Compare(
            "start of a task from another thread",
            scale,
            () => Posting.Measure(times, item => strand.Run(item.Run)),
            () => Posting.Measure(times, item => Task.Run(item.Run)));
    }

    private static LaneScheduler NewLanes() => new(new LaneSchedulerOptions { Threads = Threads }, TimeProvider.System);

    private static Outcome Compare(string what, Scale scale, Func<Cost> ours, Func<Cost> theirs)
    {
        var rounds = Interleaved.Run(scale.Pick(6, 1), scale.Pick(31, 2), ours, theirs);
        return new(Comparison.Costs(what, rounds[0], rounds[1], MostTime, MostBytes));
    }

    private static Task OnStrand(LaneScheduler lanes, int task, Func<Task> body) => lanes.NewStrand(0, $"{task}").Run(body);

    private static void RunAll(Func<int, Task> start) => Task.WaitAll([.. Enumerable.Range(0, Tasks).Select(start)]);

    private static async Task YieldAsync(int times)
    {
        for (var i = 0; i < times; i++)
            await Task.Yield();
    }

    private static Cost CompleteAll(int times, Func<int, Func<Task>, Task> start)
    {
        var sources = new TaskCompletionSource?[Tasks];
        return Cost.OfEach(Tasks * times, () =>
        {
            var all = Task.WhenAll(Enumerable.Range(0, Tasks).Select(task => start(task, () => AwaitAsync(sources, task, times))));
            while (!all.IsCompleted)
            {
                if (!CompleteOnce(sources))
                    Thread.Yield();
            }
        });
    }

    private static async Task AwaitAsync(TaskCompletionSource?[] sources, int task, int times)
    {
        for (var i = 0; i < times; i++)
        {
            // As a broker's client makes them: so that the thread that reads answers never runs what waits for them.
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Volatile.Write(ref sources[task], source);
            await source.Task;
        }
    }

    private static bool CompleteOnce(TaskCompletionSource?[] sources)
    {
        var any = false;
        for (var i = 0; i < sources.Length; i++)
        {
            if (Volatile.Read(ref sources[i]) is not { } source)
                continue;
            Volatile.Write(ref sources[i], null);
            source.SetResult();
            any = true;
        }

        return any;
    }
}
