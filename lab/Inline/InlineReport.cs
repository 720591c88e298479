namespace Holdfast.Lab.Inline;

/// <summary>What was found about running in place, in words, tables and a chart.</summary>
internal static class InlineReport
{
    private const string PublishedRatio = "up to 2; 2.2 to 3.1";

    public static Report Of(InlineQuestion question, InlineFinding found) => new(
        "Published: a chain of 100,000 continuations made with ExecuteSynchronously runs up to twice as fast as one without; readers who ran it measured 2.2 to 3.1 times.",
        [Chains(question, found), Fans(found)],
        [])
    {
        Charts = [new("", "Nanoseconds a link, queued and in place", BarChart.Of("inline", [.. found.Chains.SelectMany(Bars)]))],
    };

    private static ReportTable Chains(InlineQuestion question, InlineFinding found) => new(
        $"A chain of {question.Links:#,0} links, ns a link",
        ["chain", "queued", "in place", "gain", "published gain", "stack, KB, queued", "in place", $"in place, {question.DeepLinks:#,0} links"],
        [.. found.Chains.Select((chain, i) => (string[])
        [
            chain.Name,
            $"{Reading.Median(chain.Queued)}",
            $"{Reading.Median(chain.InPlace)}",
            $"{Reading.Ratio(chain.Queued, chain.InPlace)}",
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
