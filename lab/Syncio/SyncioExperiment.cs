namespace Holdfast.Lab.Syncio;

/// <summary>Synchronous I/O: handlers that block their thread while they wait, beside handlers that await, as more and more come at once.</summary>
internal sealed class SyncioExperiment : IExperiment
{
    public static OwnPart<SyncioQuestion, SyncioFinding> Part { get; } = new("syncio", MeasureAsync);

    public string Name => "syncio";

    public string About => "What do handlers cost that block their thread for two seconds, instead of awaiting, and who pays for it?";

    public async Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        var plain = scope.Pick(new SyncioQuestion(Runner.Pool, IsBlocking: false, 0, WaitSeconds: 2, WindowSeconds: 6.5), new(Runner.Pool, IsBlocking: false, 0, 0.05, 0.3));
        var loads = scope.Pick<int[]>([40, 200, 1000, 4000], [2, 8]);
        (Runner Runner, bool IsBlocking)[] ways = [(Runner.Pool, true), (Runner.WidePool, true), (Runner.Pool, false), (Runner.Holdfast, true), (Runner.Holdfast, false)];

        var rows = new List<SyncioRow>();
        foreach (var (runner, isBlocking) in ways)
        {
            foreach (var load in loads)
            {
                var question = plain with { Runner = runner, IsBlocking = isBlocking, AtOnce = load };
                progress.Report(Step.Of($"{SyncioReport.Name(question)}, {load:#,0} at once", rows.Count, ways.Length * loads.Length));
                rows.Add(new(question, await Part.AskAsync(question, cancel)));
            }
        }

        return SyncioReport.Of(plain, rows);
    }

    private static Task<SyncioFinding> MeasureAsync(SyncioQuestion question) =>
        question.Runner == Runner.Holdfast ? EngineClients.WatchAsync(question) : Task.FromResult(PoolClients.Watch(question));
}
