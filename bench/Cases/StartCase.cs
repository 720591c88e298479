namespace Holdfast.Bench;

/// <summary>How soon after its start a worker has taken its first message: compiled ahead, as it is in the image, and compiled as it runs.</summary>
internal static class StartCase
{
    private const double MostSeconds = 1.5;

    public static Case Case { get; } = new(
        "start",
        $"A worker with the in-memory demo has taken its first message within {MostSeconds} s of its start, as the image holds it: compiled ahead. That costs less CPU than without.",
        ["what", "compiled ahead", "compiled as it runs", "ratio"],
        [new("worker", Measure)]);

    private static Outcome Measure(Scale scale)
    {
        using var ahead = PublishedWorker.PublishAsync(isCompiledAhead: true).Result;
        using var asItRuns = PublishedWorker.PublishAsync(isCompiledAhead: false).Result;
        var rounds = Interleaved.Run<Beginning>(1, scale.Pick(15, 2), () => ahead.BeginAsync().Result, () => asItRuns.BeginAsync().Result);
        var (ours, theirs) = (rounds[0], rounds[1]);
        var clock = Reading.Median(ours.Select(start => start.Seconds));
        return new(
            [
                Compared("s until the first message", start => start.Seconds, $"at most {MostSeconds} s", clock.Value <= MostSeconds),
                Compared("s of CPU until then", start => start.CpuSeconds, "less than without", Reading.Median(ours.Select(start => start.CpuSeconds)).Value < Reading.Median(theirs.Select(start => start.CpuSeconds)).Value, isRelative: true),
                new(["MB of files", Number.Show(ahead.Megabytes), Number.Show(asItRuns.Megabytes), Number.Show(ahead.Megabytes / asItRuns.Megabytes)]),
            ],
            "from the start of the process to the first scrape, one each 5 ms, that counts a message as received; without .NET's runtime, which is the same for both");

        Row Compared(string what, Func<Beginning, double> part, string bound, bool holds, bool isRelative = false) =>
            new([what, $"{Reading.Median(ours.Select(part))}", $"{Reading.Median(theirs.Select(part))}", $"{Reading.Ratio(ours.Select(part), theirs.Select(part))}"], bound, holds, isRelative);
    }
}
