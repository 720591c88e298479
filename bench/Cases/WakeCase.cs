using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>How long a post takes to wake a sleeping worker while every core is busy.</summary>
internal static class WakeCase
{
    private const double MostMicroseconds = 100;
    private const double Percent = 99;

    public static Case Case { get; } = new(
        "wake",
        $"a sleeping worker is woken by a post within {MostMicroseconds} microseconds (p{Percent}) while every core is hogged.",
        Comparison.Columns,
        [new("hogged", scale => Measure(scale, Environment.ProcessorCount)), new("idle", scale => Measure(scale, 0))]);

    private static Outcome Measure(Scale scale, int hogs)
    {
        using var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);
        using var hogging = new Hogs(hogs);
        var posts = scale.Pick(200, 30);
        var rounds = Interleaved.Run(
            scale.Pick(1, 0),
            scale.Pick(20, 2),
            () => Wakes(posts, item => lanes.Postbox.Post(Lane.Lease, item.Run)),
            () => Wakes(posts, item => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false)));

        var where = hogs > 0 ? "every core hogged" : "machine idle";
        return new([Row(where, 50, rounds), Row(where, Percent, rounds, isJudged: hogs > 0), Row(where, 100, rounds)]);
    }

    private static Row Row(string where, double percent, double[][][] rounds, bool isJudged = false)
    {
        var ours = Reading.Percentile(percent, rounds[0]);
        var theirs = Reading.Percentile(percent, rounds[1]);
        string[] cells = [$"{where}, microseconds, {(percent == 100 ? "most" : $"p{percent}")}", $"{ours}", $"{theirs}", Number.Show(ours.Value / theirs.Value)];
        return isJudged ? new(cells, $"at most {MostMicroseconds}", ours.Value <= MostMicroseconds) : new(cells);
    }

    private static double[] Wakes(int posts, Action<Wake> post)
    {
        using var wake = new Wake();
        var delays = new double[posts];
        for (var i = 0; i < posts; i++)
        {
            // Long enough for a worker to fall asleep again.
            Thread.Sleep(2);
            delays[i] = wake.Measure(post).TotalMicroseconds;
        }

        return delays;
    }

    /// <summary>An item that notes when it begins to run.</summary>
    private sealed class Wake : IThreadPoolWorkItem, IDisposable
    {
        private readonly AutoResetEvent _ran = new(false);
        private long _ranAt;

        public Wake() => Run = Execute;

        public Action Run { get; }

        public TimeSpan Measure(Action<Wake> post)
        {
            var postedAt = Stopwatch.GetTimestamp();
            post(this);
            _ran.WaitOne();
            return Stopwatch.GetElapsedTime(postedAt, _ranAt);
        }

        public void Execute()
        {
            _ranAt = Stopwatch.GetTimestamp();
            _ran.Set();
        }

        public void Dispose() => _ran.Dispose();
    }
}
