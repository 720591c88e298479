namespace Holdfast.Lab.Leases;

/// <summary>All rows of the experiment.</summary>
internal static class Rows
{
    public const string FifoSlow = "one thread, first in first out, 1 s";
    public const string LanesSlow = "Holdfast, one thread, 1 s";

    private const double ManyMessages = 100;
    private const double OneThread = 1.015;
    private const double SeveralThreads = 1.03;
    private const double Long = 1.001;

    private static readonly Story s_slow = new();
    private static readonly Story s_quick = s_slow with { Cpu = TimeSpan.FromMilliseconds(100) };

    public static Row[] Published { get; } =
    [
        new("thread pool, 100 ms", new(s_quick, WorkerKind.Pool), new("about 50 s", "22 s", "0")) { HasReal = true },
        new("thread pool, 1 s", new(s_slow, WorkerKind.Pool), new("nearly 2 min", "40 s", "0")) { HasReal = true },
        new("one thread, first in first out, 100 ms", new(s_quick, WorkerKind.Fifo), new("nearly 4 min", "30 to 40 s", "3")) { HasReal = true },
        new(FifoSlow, new(s_slow, WorkerKind.Fifo), new("8 min", "about 1 min", "90")) { HasReal = true },
        new("one thread, priorities handed round, 1 s", new(s_slow, WorkerKind.HandedRound), new("35 min", "", "0")) { HasReal = true },
    ];

    /// <summary>What the runtime's own pool makes of the published rows: only in real time, and at its own pace.</summary>
    public static Row[] DotNetPool { get; } =
    [
        new(".NET thread pool, 100 ms", new(s_quick, WorkerKind.DotNetPool)),
        new(".NET thread pool, 1 s", new(s_slow, WorkerKind.DotNetPool)),
    ];

    public static Row[] Holdfast { get; } =
    [
        new("Holdfast, one thread, 100 ms", new(s_quick, WorkerKind.Lanes)) { HasReal = true },
        Slow(1) with { HasReal = true },
        Slow(2) with { HasReal = true },
        Slow(4),
        Slow(8),
        InTurns(1),
        InTurns(2) with { HasReal = true },
        InTurns(4),
        InTurns(8),
        Many(1),
        Many(2),
        Many(4),
        Many(8),
    ];

    private static Row Slow(int threads) => new($"{On(threads)}, 1 s", new(s_slow, WorkerKind.Lanes, threads)) { Bound = Few(threads) };

    private static Row InTurns(int threads) => new($"{On(threads)}, 1 s, all in turns", new(s_slow, WorkerKind.LanesInTurns, threads)) { Bound = Few(threads) };

    private static Row Many(int threads)
    {
        var story = s_slow with { Messages = (int)(s_slow.Messages * ManyMessages) };
        return new($"{On(threads)}, 1 s, {story.Messages:#,0} messages", new(story, WorkerKind.Lanes, threads)) { Bound = Long };
    }

    private static string On(int threads) => threads == 1 ? "Holdfast, one thread" : $"Holdfast, {threads} threads";

    private static double Few(int threads) => threads == 1 ? OneThread : SeveralThreads;
}
