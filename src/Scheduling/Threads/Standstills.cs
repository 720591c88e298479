namespace Holdfast.Scheduling;

/// <summary>Tells, from one look of the watch to the next, whether the whole process stood still in between. Decides only.</summary>
internal sealed class Standstills(double cpus)
{
    // The part of a CPU that a process may have had which did not run. One that others leave no more does not run either, by all that matters here.
    private const double HardlyAny = 0.05;

    // On a loaded machine any thread may be late.
    private static readonly TimeSpan s_noticeable = TimeSpan.FromSeconds(1);

    private ProcessSample? _last;

    /// <summary>What kept the process from running since the last look, after which this one was due in that time. Null where a look is in time, or late by itself.</summary>
    public Standstill? At(ProcessSample sample, TimeSpan period)
    {
        var last = _last ?? sample;
        _last = sample;
        var gap = sample.At - last.At;
        if (gap <= period + s_noticeable)
            return null;

        var collecting = sample.Collecting - last.Collecting;
        if (collecting > gap / 2)
            return new(collecting, IsCollection: true);

        // Until it began all CPUs may have been at work. While only the watch was kept waiting, the others had them.
        var mostAtRest = (period * cpus) + (gap * HardlyAny * Math.Min(1, cpus));
        return sample.CpuTime - last.CpuTime < mostAtRest ? new(gap - period, IsCollection: false) : null;
    }
}

/// <summary>What a process had used up to some moment, and for how long garbage collections had stopped all of its threads.</summary>
internal readonly record struct ProcessSample(TimeSpan At, TimeSpan CpuTime, TimeSpan Collecting)
{
    public static ProcessSample Take(TimeSpan now) => new(now, Environment.CpuUsage.TotalTime, GC.GetTotalPauseDuration());
}
