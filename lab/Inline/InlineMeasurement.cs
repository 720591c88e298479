using Holdfast.Scheduling;

namespace Holdfast.Lab.Inline;

/// <summary>Measures chains and fans, in a process of its own.</summary>
internal static class InlineMeasurement
{
    public static Task<InlineFinding> RunAsync(InlineQuestion question)
    {
        using var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);
        ChainFinding[] chains =
        [
            Measure("ContinueWith, thread pool", question, (count, inPlace) => Chain.Continued(count, null, inPlace)),
            Measure("await, thread pool", question, (count, inPlace) => Chain.Awaited(count, null, inPlace)),
            Measure("ContinueWith, lane", question, (count, inPlace) => Chain.Continued(count, lanes.NewStrand(0, "chain"), inPlace)),
            Measure("await, lane", question, (count, inPlace) => Chain.Awaited(count, lanes.NewStrand(0, "chain"), inPlace)),
        ];

        var work = TimeSpan.FromMilliseconds(question.FanMilliseconds);
        var fans = Interleaved.Run(
            1,
            question.Rounds,
            () => Fan.Continued(work, TaskContinuationOptions.None),
            () => Fan.Continued(work, TaskContinuationOptions.ExecuteSynchronously),
            () => Fan.Awaited(work, null),
            () => Fan.Awaited(work, lanes));
        string[] names = ["ContinueWith, thread pool", "ContinueWith with ExecuteSynchronously, thread pool", "await, thread pool", "await, lane"];
        return Task.FromResult(new InlineFinding(chains, [.. names.Zip(fans, (name, times) => new FanFinding(name, times))], Fan.Width));
    }

    private static ChainFinding Measure(string name, InlineQuestion question, Func<int, bool, Links> chain)
    {
        var rounds = Interleaved.Run(question.Rounds, question.Rounds, () => chain(question.Links, false), () => chain(question.Links, true));
        return new(name, Times(rounds[0]), Times(rounds[1]), Depth(rounds[0]), Depth(rounds[1]), chain(question.DeepLinks, true).Kilobytes);
    }

    private static double[] Times(Links[] rounds) => [.. rounds.Select(round => round.Nanoseconds)];

    private static double Depth(Links[] rounds) => rounds.Max(round => round.Kilobytes);
}
