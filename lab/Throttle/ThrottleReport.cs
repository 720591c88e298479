namespace Holdfast.Lab.Throttle;

/// <summary>What was found about throttling, in words, tables and a chart.</summary>
internal static class ThrottleReport
{
    private const string Published =
        "Published: with synchronous work the pool first responded after 5.73 s unthrottled and after 26 to 98 microseconds throttled, and all was done after 6.29 s and 4.69 s. "
        + "With asynchronous work it responded after 4.28 s and 1.68 s unthrottled and after 8 to 67 microseconds throttled, and all was done after 7.01 s and 6.25 s.";

    public static Report Of(ThrottleQuestion plain, ThrottleRow[] rows) => new(Published, [Table(plain, rows, isAsync: false), Table(plain, rows, isAsync: true)], [])
    {
        Charts = [new("", "Seconds until the thread pool first responded", BarChart.Of("throttle", [.. rows.Select(Bar)]))],
    };

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
        Show = Number.Seconds,
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
