namespace Holdfast.Lab.Inline;

/// <summary>Running continuations synchronously: what a chain gains by it, what the stack has to bear, and who must not wait for it.</summary>
internal sealed class InlineExperiment : IExperiment
{
    public static OwnPart<InlineQuestion, InlineFinding> Part { get; } = new("inline", InlineMeasurement.RunAsync);

    public string Name => "inline";

    public string About => "What is gained where a continuation runs at once, on the thread that completed what it waited for, instead of being queued?";

    public async Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        progress.Report(new("chains and fans", 0));
        var question = scope.Pick(new InlineQuestion(100_000, 1_000_000, 15, 50), new InlineQuestion(1_000, 10_000, 1, 1));
        return InlineReport.Of(question, await Part.AskAsync(question, cancel));
    }
}
