using Holdfast.Scheduling;

namespace Holdfast.Lab.Inline;

/// <summary>What was found about running in place, in words, tables and a chart.</summary>
internal static class InlineReport
{
    private const string PublishedRatio = "up to 2; 2.2 to 3.1";

    public static Report Of(InlineQuestion question, InlineFinding found) => new(
        "Published: a chain of 100,000 continuations made with ExecuteSynchronously runs up to twice as fast as one without; readers who ran it measured 2.2 to 3.1 times.",
        [Chains(question, found), Fans(found)],
        Findings(question, found))
    {
        Charts = [new("", "Nanoseconds a link, queued and in place", BarChart.Of("inline", [.. found.Chains.SelectMany(Bars)]))],
    };

    private static string[] Findings(InlineQuestion question, InlineFinding found)
    {
        var (pool, lane) = (found.Chains[0], found.Chains[^1]);
        var (onLane, oneByOne) = (Times(found.Fans[^1]), Times(found.Fans[1]));
        return
        [
            $"Running in place gains {Gain(pool)} times here with ContinueWith on the pool. Today's runtime makes queueing cheap: what a thread of the pool queues goes to a queue of its own, from which it takes its next item; and part of what is saved is paid back with the stack: in place, each link begins deeper than the one before, on memory that nobody had touched yet.",
            $"The runtime looks at what is left of the stack before it runs a continuation in place, and queues it where that is little. So a chain of {question.DeepLinks:#,0} links came to its end too; but it used up {Number.Show(pool.DeepKilobytes / 1024)} MB of stack on the pool, and whatever else runs there in place must do with the rest. A lane runs at most {LaneScheduler.DeepestInline} links inside one another and then queues: {Number.Show(lane.DeepKilobytes)} KB. It runs a continuation in place only where it would be next anyway, so order is kept, and gains {Gain(lane)} times by it.",
            $"Several continuations of one task must not wait for each other. With ExecuteSynchronously they do: {found.Width} of them took {oneByOne} times as long as one. Awaits run only the first in place and queue the others, on the pool and on a lane alike: {onLane} times as long on a lane.",
        ];
    }

    private static string Gain(ChainFinding chain) => Number.Show(chain.Gain.Value);

    private static string Times(FanFinding fan) => Number.Show(Reading.Median(fan.Times).Value);

    private static ReportTable Chains(InlineQuestion question, InlineFinding found) => new(
        $"A chain of {question.Links:#,0} links, ns a link",
        ["chain", "queued", "in place", "gain", "published", "KB of stack, queued", "in place", $"{question.DeepLinks:#,0} links"],
        [.. found.Chains.Select((chain, i) => (string[])
        [
            chain.Name,
            $"{Reading.Median(chain.Queued)}",
            $"{Reading.Median(chain.InPlace)}",
            $"{chain.Gain}",
            i == 0 ? PublishedRatio : "",
            Number.Show(chain.QueuedKilobytes),
            Number.Show(chain.InPlaceKilobytes),
            Number.Show(chain.DeepKilobytes),
        ])]);

    private static ReportTable Fans(InlineFinding found) => new(
        $"{found.Width} continuations of one task, each with work for a CPU: how many times as long as one of them alone",
        ["continuations", "times"],
        [.. found.Fans.Select(fan => (string[])[fan.Name, $"{Reading.Median(fan.Times)}"])]);

    private static IEnumerable<Bar> Bars(ChainFinding chain)
    {
        var isOurs = chain.Name.EndsWith("lane", StringComparison.Ordinal);
        yield return new(chain.Name, "queued", Reading.Median(chain.Queued)) { IsOurs = isOurs };
        yield return new(chain.Name, "in place", Reading.Median(chain.InPlace)) { IsOurs = isOurs };
    }
}
