namespace Holdfast.Lab.Throttle;

/// <summary>What was found about throttling, in words, tables and a chart.</summary>
internal static class ThrottleReport
{
    private const string Published =
        "Published: with synchronous work the pool first responded after 5.73 s unthrottled and after 26 to 98 microseconds throttled, and all was done after 6.29 s and 4.69 s. "
        + "With asynchronous work it responded after 4.28 s and 1.68 s unthrottled and after 8 to 67 microseconds throttled, and all was done after 7.01 s and 6.25 s.";

    public static Report Of(ThrottleQuestion plain, ThrottleRow[] rows) => new(Published, [Table(plain, rows, isAsync: false), Table(plain, rows, isAsync: true)], Findings(rows))
    {
        Charts = [new("", "Seconds until the thread pool first responded", BarChart.Of("throttle", [.. rows.Select(Bar)]))],
    };

    private static string[] Findings(ThrottleRow[] rows)
    {
        var loose = Of(Throttling.None);
        var pair = Of(Throttling.SchedulerPair);
        var narrow = Of(Throttling.NarrowSchedulerPair);
        var lanes = Of(Throttling.Lanes);
        return
        [
            $"Let loose, the work stands in the pool's queue before whatever comes later: the pool first responded after {First(loose)}, when all was done after {Finish(loose)}. It is not that there is no CPU left, it is the order. With awaits in the work, others get their turn between the turns of all items, time and again.",
            $"The published remedy, a ConcurrentExclusiveSchedulerPair for twice as many items as there are cores, did not help here (first response after {First(pair)}): it holds on to as many of the pool's threads as it lets items run. The pool begins with one thread for each core, and adds to them only once it has seen nothing move for about half a second. Where fewer items run than there are threads it helps ({First(narrow)}), but then a core has nothing to do: {Finish(narrow)} in place of {Finish(loose)}. The published machine must have had threads to spare. A SemaphoreSlim holds back items just so; but what it lets go on is queued by threads of the pool, to queues of their own, and those come before the one in which others wait.",
            $"Lanes have threads of their own, as many as there are cores. The pool has nothing to do with the work, and responds after {First(lanes)}; no number has to be chosen, and all is done after {Finish(lanes)}. That is why Holdfast runs handlers so: what answers on the pool are the broker's client's sockets, timers and heartbeats.",
        ];

        ThrottleRow Of(Throttling throttling) => rows.Single(row => row.Question.Throttling == throttling && !row.Question.IsAsync);
    }

    private static string First(ThrottleRow row) => Number.Seconds(row.Of(one => one.First).Value);

    private static string Finish(ThrottleRow row) => Number.Seconds(row.Of(one => one.Finish).Value);

    private static ReportTable Table(ThrottleQuestion plain, ThrottleRow[] rows, bool isAsync) => new(
        $"{plain.Items} items of {plain.ItemMilliseconds} ms of CPU each, {Kind(isAsync)}",
        ["throttled by", "pool's first response", "published", "its median", "its slowest", "all done", "published"],
        [.. rows.Where(row => row.Question.IsAsync == isAsync).Select(row => (string[])
        [
            Name(row.Question.Throttling),
            Time(row, one => one.First),
            PublishedFirst(row.Question),
            Number.Seconds(row.Of(one => one.Median).Value),
            Number.Seconds(row.Of(one => one.Most).Value),
            Time(row, one => one.Finish),
            PublishedFinish(row.Question),
        ])]);

    private static string Time(ThrottleRow row, Func<ThrottleFinding, double> value) => row.Of(value).Show(Number.Seconds);

    private static Bar Bar(ThrottleRow row) => new(Kind(row.Question.IsAsync), Name(row.Question.Throttling), row.Of(one => one.First))
    {
        IsTime = true,
        IsOurs = row.Question.Throttling == Throttling.Lanes,
    };

    public static string Kind(bool isAsync) => isAsync ? "asynchronous" : "synchronous";

    public static string Name(Throttling throttling) => throttling switch
    {
        Throttling.None => "nothing",
        Throttling.SchedulerPair => $"ConcurrentExclusiveSchedulerPair of {Throttled.AtOnce}",
        Throttling.NarrowSchedulerPair => $"ConcurrentExclusiveSchedulerPair of {Throttled.AtOnceNarrow}",
        Throttling.Semaphore => $"SemaphoreSlim of {Throttled.AtOnce}",
        _ => "lanes",
    };

    private static string PublishedFirst(ThrottleQuestion question) => question switch
    {
        { Throttling: Throttling.None, IsAsync: false } => "5.73 s",
        { Throttling: Throttling.None } => "4.28 s, 1.68 s",
        { Throttling: Throttling.SchedulerPair, IsAsync: false } => "26 to 98 µs",
        { Throttling: Throttling.SchedulerPair } => "8 to 67 µs",
        _ => "",
    };

    private static string PublishedFinish(ThrottleQuestion question) => question switch
    {
        { Throttling: Throttling.None, IsAsync: false } => "6.29 s",
        { Throttling: Throttling.None } => "7.01 s",
        { Throttling: Throttling.SchedulerPair, IsAsync: false } => "4.69 s",
        { Throttling: Throttling.SchedulerPair } => "6.25 s",
        _ => "",
    };
}
