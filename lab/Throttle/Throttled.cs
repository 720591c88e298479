using Holdfast.Scheduling;

namespace Holdfast.Lab.Throttle;

/// <summary>Starts all items at once, and lets only some of them run.</summary>
internal static class Throttled
{
    /// <summary>As published.</summary>
    public static int AtOnce { get; } = 2 * Environment.ProcessorCount;

    /// <summary>One less than the threads that the pool has from the start.</summary>
    public static int AtOnceNarrow { get; } = Math.Max(1, Environment.ProcessorCount - 1);

    public static Task RunAsync(ThrottleQuestion question)
    {
        var work = new Work(question);
        var start = Start(question, work);
        return Task.WhenAll(Enumerable.Range(0, question.Items).Select(_ => start()));
    }

    private static Func<Task> Start(ThrottleQuestion question, Work work)
    {
        switch (question.Throttling)
        {
            case Throttling.None:
                return question.IsAsync ? () => Task.Run(work.RunAsync) : () => Task.Run(work.Run);
            case Throttling.SchedulerPair or Throttling.NarrowSchedulerPair:
                var atOnce = question.Throttling == Throttling.SchedulerPair ? AtOnce : AtOnceNarrow;
                var pair = new ConcurrentExclusiveSchedulerPair(TaskScheduler.Default, atOnce).ConcurrentScheduler;
                return question.IsAsync
                    ? () => Task.Factory.StartNew(work.RunAsync, CancellationToken.None, TaskCreationOptions.None, pair).Unwrap()
                    : () => Task.Factory.StartNew(work.Run, CancellationToken.None, TaskCreationOptions.None, pair);
            case Throttling.Semaphore:
                var places = new SemaphoreSlim(AtOnce);
                return question.IsAsync ? () => InPlaceAsync(places, work.RunAsync) : () => InPlaceAsync(places, () => Task.Run(work.Run));
            default:
                var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);
                return question.IsAsync ? () => lanes.NewStrand(0, "work").Run(work.RunAsync) : () => lanes.NewStrand(0, "work").Run(work.Run);
        }
    }

    private static async Task InPlaceAsync(SemaphoreSlim places, Func<Task> body)
    {
        await places.WaitAsync();
        try
        {
            await Task.Run(body);
        }
        finally
        {
            places.Release();
        }
    }
}
