using System.Globalization;

namespace Holdfast.Lab.Leases;

/// <summary>What was found about leases, in words, tables and charts.</summary>
internal static class LeasesReport
{
    private const string WhatWasPublished =
        "Published: 100 messages; each has 20 turns, and a turn is some CPU (100 ms or 1 s) and then 1 s of I/O. Each message's lease is refreshed by a loop of its own. "
        + "Receiving, refreshing and processing compete for threads. On the thread pool nothing is lost, at the price of over 50 threads for about 60 active messages. "
        + "One thread that runs what comes first, first, loses 90 of 100 leases. With priorities it loses none, and needs 35 minutes where the CPU alone needs 33.3.";

    public static Report Of(IReadOnlyList<Found> found, IReadOnlyList<Compared> compared) =>
        new(WhatWasPublished, [Beside(found), Ours(found), .. compared.Count > 0 ? [Real(compared)] : Array.Empty<ReportTable>()], [.. Findings(found), .. RealFindings(compared)])
        {
            Charts = [LivesChart.Of(Named(found, Rows.FifoSlow, Rows.LanesSlow)), LossesChart.Of([.. found.Where(one => one.Row.Run.Story.Messages == found[0].Row.Run.Story.Messages)])],
        };

    private static Found[] Named(IReadOnlyList<Found> found, params string[] names) => [.. names.Select(name => found.Single(one => one.Row.Name == name))];

    private static ReportTable Beside(IReadOnlyList<Found> found) => new(
        "The published rows, in virtual time",
        ["scheduler, CPU of a turn", "published: in all", "here", "published: a message", "here", "published: lost", "here", "in hand, most", "threads"],
        [.. from one in found where one.Row.Published is not null let published = one.Row.Published select (string[])
        [
            one.Row.Name,
            published.Total,
            Minutes(one.Outcome.Total),
            published.Message,
            Message(one.Outcome),
            published.Lost,
            $"{one.Outcome.Lost}",
            $"{one.Outcome.MostActive}",
            $"{one.Outcome.Threads}",
        ]]);

    private static ReportTable Ours(IReadOnlyList<Found> found) => new(
        "Holdfast's engine with the same messages, in virtual time",
        ["lanes, CPU of a turn", "the CPU alone", "in all", "times", "at most", "", "a message", "lost", "in hand, most"],
        [.. from one in found where one.Row.Published is null select (string[])
        [
            one.Row.Name,
            Seconds(one.Row.CpuAlone),
            Seconds(one.Outcome.Total),
            Times(one.Times),
            one.Row.Bound is { } bound ? Times(bound) : "",
            one.Holds switch { true => "holds", false => "**does not hold**", null => "" },
            Message(one.Outcome),
            $"{one.Outcome.Lost}",
            $"{one.Outcome.MostActive}",
        ]]);

    private static ReportTable Real(IReadOnlyList<Compared> compared) => new(
        "In real time, so many times faster, beside the same in virtual time; all times as if they had been told at their own pace",
        ["scheduler, CPU of a turn", "times faster", "in all: virtual", "real", "a message: virtual", "real", "lost: virtual", "real", "within 10 %"],
        [.. compared.Select(one => (string[])
        [
            one.Row.Name,
            $"{one.Row.Run.Faster}",
            Seconds(one.Virtual.Total * one.Row.Run.Faster),
            Seconds(one.Real.Total * one.Row.Run.Faster),
            Message(one.Virtual, one.Row.Run.Faster),
            Message(one.Real, one.Row.Run.Faster),
            $"{one.Virtual.Lost}",
            $"{one.Real.Lost}",
            one.Agrees switch { true => "yes", false => "**no**", null => "" },
        ])]);

    private static IEnumerable<string> Findings(IReadOnlyList<Found> found)
    {
        var story = found[0].Row.Run.Story;
        yield return
            "**What was left open.** The article does not say how long a lock lasts, when it is refreshed, how fast messages come and how the pool grows. One set of values is used for all rows, "
            + "chosen so that the losses and durations come out as published: "
            + $"a lock of {Number.Plain(story.Lock.TotalSeconds)} s, counted from the broker's answer and refreshed {Number.Plain(story.Refresh.TotalSeconds)} s after the last time; "
            + $"a refresh that takes {Number.Plain(story.RefreshCpu.TotalMilliseconds)} ms of CPU; a receive loop that rests {Number.Plain(story.Rest.TotalMilliseconds)} ms before each message, which then takes {Number.Plain(story.Receive.TotalMilliseconds)} ms to come; "
            + $"a pool of {story.PoolThreads} threads that starts another after each {Number.Plain(story.PoolGrowth.TotalSeconds)} s in which work waited; timers that ring from half a millisecond too early to 4.5 ms late, as .NET's on Linux do. "
            + "A turn's CPU holds a thread, and not a core: with some 50 turns under way at once that is what the published one did. A yield costs no virtual time, which may be what is missing to the published 35 minutes. A message whose lease is lost is not handled to its end: its loop stops at its next turn after the refresh was refused, which is why 90 losses make the run short.";
        yield return
            "**Why first in, first out loses leases.** With few messages in hand a refresh waits for the turns in front of it, a second each; with half a dozen it waits longer than its lock lasts. "
            + "Nothing slows the receive loop down but the same queue, so it takes messages in until leases are lost, and the losses are what makes room again. On the pool the queue is short only because there is a thread for every turn.";
        yield return
            "**What Holdfast does.** Renewals come before handlers, handlers before receiving, and what was started before what was not: nothing is lost, at the CPU's own pace. "
            + "The rows run the engine itself, lanes, lease keeper and admission, on a virtual clock, with its default settings; with one thread even the leases are kept by that thread, between two turns. "
            + "It takes far fewer messages at once than the pool did, because more would only wait. "
            + "The rows in turns differ by three settings: `Worker__TurnOrder=RoundRobin`, `Worker__Admission=Fixed`, and as many messages as there are for `Worker__MaxConcurrency`.";
        yield return
            "**Several threads and few messages.** Finishing first what was started first has a price at the very end: the message that begins last needs 20 s of CPU and 20 s of I/O, and while it waits for its I/O its thread has nothing else to do. "
            + "100 messages on 8 threads are little more than six for each pair of places, so those seconds weigh much; with 10,000 messages they are the same few seconds. "
            + "In turns, with all of them in hand, no message is behind the others: they end together, and no thread is idle before. What that costs is a message's time, which is nearly that of all of them, and a lease for each all the time. "
            + "So it is for work whose end counts as a whole, and not the default. "
            + "In turns with as few in hand as by default messages end in throngs, and how many the last throng has is chance: 8 threads took 1.08 to 1.11 times. "
            + "Turns for whoever had the fewest, but only once the queue is known to be empty, took 1.01 to 1.03 whatever the number of messages; but the queue of a healthy worker is nearly always empty, and there all messages of a burst would end late, so that the last one ends sooner. "
            + "No order helps for ever: alone, each message needs 40 s, which is all that 50 threads would need for the CPU of 100.";
    }

    private static IEnumerable<string> RealFindings(IReadOnlyList<Compared> compared)
    {
        if (compared.Count == 0)
            yield break;

        yield return
            $"**In real time.** Each row ran in a process of its own; those that were over within {Number.Plain(LeasesExperiment.LongestShortRun.TotalSeconds)} s ran {LeasesExperiment.ShortRuns} times, and the middle one counts. The published rows' turns sleep, so that several rows can run at once; Holdfast's really burn their CPU, for its admission looks at that. "
            + "What agrees is the story, told on threads of this machine. The .NET pool of today is another matter, and stands beside the published one for who is curious: it runs at its own pace, for it grows by its own clock, "
            + "which cannot be told faster; how fast it grows depends on the runtime and on how busy the whole machine is. "
            + "A machine that is busy otherwise wakes threads late, and at this pace a lock is only as long as a few such delays.";
    }

    private static string Minutes(double seconds) => seconds < 100 ? Seconds(seconds) : $"{(seconds / 60).ToString("0.0", CultureInfo.InvariantCulture)} min";

    private static string Seconds(double seconds) => $"{Number.Show(seconds)} s";

    private static string Message(Outcome outcome, int faster = 1) => outcome.Mean is { } mean ? Seconds(mean * faster) : "none ended";

    private static string Times(double times) => times.ToString("0.0000", CultureInfo.InvariantCulture);
}
