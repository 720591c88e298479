namespace Holdfast.Lab.Awaits;

/// <summary>The price of awaits: seven ways to wait for a tenth of a second.</summary>
internal sealed class AwaitsExperiment : IExperiment
{
    public static OwnPart<AwaitsQuestion, AwaitsFinding[]> Part { get; } = new("awaits", AwaitsMeasurement.RunAsync);

    public string Name => "awaits";

    public string About => "What does it cost to await instead of blocking, to nest awaits, and to await one thing after another instead of all at once?";

    public async Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        progress.Report(new("seven methods, on BenchmarkDotNet", 0));
        return AwaitsReport.Of(await Part.AskAsync(scope.Pick(new AwaitsQuestion(2, 20), new(0, 1)), cancel));
    }
}
