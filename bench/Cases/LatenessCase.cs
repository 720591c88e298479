using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>How late leases are renewed over a socket, while handlers burn all the CPU there is.</summary>
internal static class LatenessCase
{
    private static readonly Limits s_ordinary = new(99.9, Sent: 10, Answered: 15);
    private static readonly Limits s_collecting = new(99.9, Sent: 30, Answered: 30);
    private static readonly Limits s_escaping = new(99, Sent: null, Answered: 25);
    private static readonly Limits s_throttled = new(100, Sent: 100, Answered: 100);

    public static Case Case { get; } = new(
        "lateness",
        $"{Leases.Count} leases, each renewed every {Leases.Every.TotalMilliseconds} ms over a socket, are renewed in time while {Leases.Count} handlers burn all the CPU there is (milliseconds after they were due).",
        ["what", "p50", "p99", "p99.9", "most", "samples", "leases renewed"],
        [
            Lanes("plain", s_ordinary, Manner.Burn),
            Lanes("in batches", s_ordinary, Manner.Burn, renewalBatch: 256),
            Lanes("20 collections a second", s_collecting, Manner.Allocate),
            Lanes("1 of 8 escapes to the pool", s_escaping, Manner.Escape),
            Lanes("all block in Thread.Sleep", s_ordinary, Manner.Block),
            Lanes("quota of 1.0 CPUs", s_throttled, Manner.Burn, quota: 1.0),
            Lanes("quota of 1.5 CPUs", s_throttled, Manner.Burn, quota: 1.5),
            new("on the thread pool", scale => Show("on the thread pool", null, PoolRun.Measure(Length(scale)))),
        ]);

    private static Part Lanes(string name, Limits limits, Manner manner, int renewalBatch = 1, double? quota = null) =>
        new(name, scale => Show(name, limits, LaneRun.Measure(manner, renewalBatch, Length(scale))), quota);

    private static TimeSpan Length(Scale scale) => TimeSpan.FromSeconds(scale.Pick(20, 1.0));

    private static Outcome Show(string name, Limits? limits, Lateness found)
    {
        var roundTrip = found.RoundTrip.At(50);
        var leases = $"{found.Renewed} of {Leases.Count}";
        return new(
            [
                Row($"{name}: sent", found.Sent, leases, limits?.Percent, limits?.Sent, 0),
                Row($"{name}: answered", found.Answered, leases, limits?.Percent, limits?.Answered, roundTrip),
            ],
            $"{found.Missed} leases missed",
            $"round trip before {roundTrip:0.000} ms (p99 {found.RoundTrip.At(99):0.000})",
            $"{CpuQuota.WorkerThreads} worker threads",
            $"{GC.CollectionCount(0)} collections, {GC.GetTotalPauseDuration().TotalMilliseconds:0} ms in all",
            $"throttled for {CpuThrottling.Total().TotalSeconds:0.0} s");
    }

    private static Row Row(string what, Samples late, string leases, double? percent, double? most, double roundTrip)
    {
        string[] cells = [what, Number.Show(late.At(50)), Number.Show(late.At(99)), Number.Show(late.At(99.9)), Number.Show(late.Max), $"{late.Count:#,0}", leases];
        if (percent is not { } at || most is not { } limit)
            return new(cells);

        var bound = $"{(at == 100 ? "most" : $"p{at}")} at most {limit}{(roundTrip > 0 ? " + round trip" : "")}";
        return new(cells, bound, late.At(at) <= limit + roundTrip);
    }

    /// <summary>The percentile that is judged, and the milliseconds it may reach; null where it is not judged.</summary>
    private sealed record Limits(double Percent, double? Sent, double? Answered);
}
