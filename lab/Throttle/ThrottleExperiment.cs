namespace Holdfast.Lab.Throttle;

/// <summary>Limiting concurrency: the same work let loose on the pool at once, or a little at a time, while somebody else needs the pool too.</summary>
internal sealed class ThrottleExperiment : IExperiment
{
    public static OwnPart<ThrottleQuestion, ThrottleFinding> Part { get; } = new("throttle", ThrottleMeasurement.RunAsync);

    public string Name => "throttle";

    public string About => "How long does the thread pool keep others waiting when much CPU work is given to it at once, and what does throttling cost?";

    public async Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        var plain = scope.Pick(new ThrottleQuestion(Throttling.None, IsAsync: false, Items: 300, ItemMilliseconds: 10, Turns: 10), new(Throttling.None, IsAsync: false, Items: 20, ItemMilliseconds: 1, Turns: 2));
        ThrottleQuestion[] questions = [.. from isAsync in (bool[])[false, true] from throttling in Enum.GetValues<Throttling>() select plain with { IsAsync = isAsync, Throttling = throttling }];

        var rounds = scope.Pick(3, 1);
        var found = questions.Select(_ => new List<ThrottleFinding>()).ToArray();
        for (var i = 0; i < rounds * questions.Length; i++)
        {
            var question = questions[i % questions.Length];
            progress.Report(Step.Of($"{ThrottleReport.Name(question.Throttling)}, {ThrottleReport.Kind(question.IsAsync)}", i, rounds * questions.Length));
            found[i % questions.Length].Add(await Part.AskAsync(question, cancel));
        }

        return ThrottleReport.Of(plain, [.. questions.Zip(found, (question, rounds) => new ThrottleRow(question, rounds))]);
    }
}
