using System.Diagnostics;

namespace Holdfast.Lab.Throttle;

/// <summary>Measures one way of throttling, in a process of its own.</summary>
internal static class ThrottleMeasurement
{
    private const int WarmUpItems = 20;

    /// <summary>All of it on the calling thread: what a pool's own thread gives to the pool goes to a queue of that thread's, past which others find their way.</summary>
    public static Task<ThrottleFinding> RunAsync(ThrottleQuestion question)
    {
        // What is measured is the waiting, not the compiling.
        Throttled.RunAsync(question with { Items = WarmUpItems, ItemMilliseconds = 1 }).Wait();
        WarmUpProbe();

        using var probe = new Probe();
        var start = Stopwatch.GetTimestamp();
        var all = Throttled.RunAsync(question);
        probe.Start();
        all.Wait();
        var finish = Stopwatch.GetElapsedTime(start).TotalSeconds;

        var answers = probe.Stop();
        var samples = new Samples(answers);
        return Task.FromResult(new ThrottleFinding(answers[0], samples.At(50), samples.Max, finish));
    }

    private static void WarmUpProbe()
    {
        using var probe = new Probe();
        probe.Start();
        probe.Stop();
    }
}
