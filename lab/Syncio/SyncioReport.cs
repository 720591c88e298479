using Holdfast.Consumer;

namespace Holdfast.Lab.Syncio;

/// <summary>What was found about synchronous I/O, in words, tables and charts.</summary>
internal static class SyncioReport
{
    private const string Published =
        "Published: a service whose requests take 2 s of waiting, under up to 4,000 of them at once. Asynchronous, it had ten times the throughput, and a response 25 times as short; "
        + "synchronous, its throughput stopped rising where its threads ran out.";

    public static Report Of(SyncioQuestion plain, IReadOnlyList<SyncioRow> rows) => new(Published, [Table(plain, rows), Gains(rows), Leases(rows)], Findings(plain, rows))
    {
        Charts =
        [
            new("throughput", "Handlers that end in a second", LineChart.Of("Handlers that end in a second", "at once", Lines(rows, row => row.Throughput))),
            new("response", "Seconds until a handler's end", LineChart.Of("Seconds until a handler's end", "at once", Lines(rows, row => row.Response))),
        ],
    };

    public static string Name(SyncioQuestion question) => (question.Runner, question.IsBlocking) switch
    {
        (Runner.Pool, true) => "thread pool, blocking",
        (Runner.WidePool, _) => $"pool of {SyncioQuestion.WideThreads} threads, blocking",
        (Runner.Pool, false) => "thread pool, awaiting",
        (_, true) => "Holdfast, blocking",
        _ => "Holdfast, awaiting",
    };

    private static string[] Findings(SyncioQuestion plain, IReadOnlyList<SyncioRow> rows)
    {
        var leases = rows.Select(row => row.Found.Leases).OfType<LeaseFinding>().ToArray();
        var blocked = leases.Max(one => one.Blocked);
        var wide = SyncioQuestion.WideThreads / plain.WaitSeconds;
        return
        [
            $"Blocking handlers need a thread each. The pool begins with one for each core and adds one or two in a second while all of them sleep, so in the time of the watch hardly any handler came to its end. The published service had grown its threads before; a pool with {SyncioQuestion.WideThreads} of them from the start stands for it. Its throughput stops rising at {SyncioQuestion.WideThreads} threads / {plain.WaitSeconds} s = {wide:0} a second, the published plateau, and more clients only wait longer. Awaiting handlers need no thread while they wait, and no plateau is to be seen.",
            $"Holdfast finds a thread that sleeps in its turn, and gives its place to a spare one: up to {blocked} were found blocked at once. The bound is `Worker__MaxSpareThreads`, {new HoldfastOptions().MaxSpareThreads} by default: that is the plateau here, and its figures contain the first seconds, in which those threads were hired. Beyond it, handlers wait for one another. But nobody else does: {leases.Sum(one => one.Renewed):#,0} renewals were granted meanwhile, and {Lost(leases)}. Each message that is held has a lock of {EngineClients.Lock.TotalSeconds} s, whether its handler runs or waits for a thread; renewing and settling never wait for a handler's thread.",
        ];
    }

    private static string Lost(LeaseFinding[] leases) => leases.Sum(one => one.Lost) is > 0 and var lost ? $"{lost:#,0} leases were lost" : "no lease was lost";

    private static ReportTable Table(SyncioQuestion plain, IReadOnlyList<SyncioRow> rows) => new(
        $"Handlers of {Number.Seconds(plain.WaitSeconds)} each, watched for {Number.Seconds(plain.WindowSeconds)}",
        ["handlers", "at once", "ended a second", "response, by Little's law", "threads at the end"],
        [.. rows.Select(row => (string[])
        [
            Name(row.Question),
            $"{row.Question.AtOnce:#,0}",
            Number.Show(row.Throughput),
            Number.Seconds(row.Response),
            $"{row.Found.Threads:#,0}",
        ])]);

    private static ReportTable Gains(IReadOnlyList<SyncioRow> rows)
    {
        var most = rows.Max(row => row.Question.AtOnce);
        var loaded = rows.Where(row => row.Question.AtOnce == most).ToArray();
        var awaiting = loaded.Single(row => row.Question is { Runner: Runner.Pool, IsBlocking: false });
        return new(
            $"What awaiting gains over blocking, {most:#,0} at once",
            ["over", "throughput", "published", "response", "published"],
            [.. loaded.Where(row => row.Question.IsBlocking).Select((row, i) => (string[])
            [
                Name(row.Question),
                $"{Number.Show(awaiting.Throughput / row.Throughput)} times",
                i == 0 ? "10 times" : "",
                $"{Number.Show(row.Response / awaiting.Response)} times as short",
                i == 0 ? "25 times as short" : "",
            ])]);
    }

    private static ReportTable Leases(IReadOnlyList<SyncioRow> rows) => new(
        "Holdfast's leases meanwhile",
        ["handlers", "at once", "held at the end", "renewed", "lost", "blocked threads found, most"],
        [.. from row in rows where row.Found.Leases is not null let leases = row.Found.Leases select (string[])
        [
            Name(row.Question),
            $"{row.Question.AtOnce:#,0}",
            $"{leases.Held:#,0}",
            $"{leases.Renewed:#,0}",
            $"{leases.Lost:#,0}",
            $"{leases.Blocked:#,0}",
        ]]);

    private static Series[] Lines(IReadOnlyList<SyncioRow> rows, Func<SyncioRow, double> value) =>
        [.. rows.Where(row => row.Found.Ended > 0).GroupBy(row => Name(row.Question)).Select(way => new Series(way.Key, [.. way.Select(row => ((double)row.Question.AtOnce, value(row)))]))];
}
