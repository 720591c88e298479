namespace Holdfast.Lab.Leases;

/// <summary>
/// Ordering continuations: the same hundred messages for every kind of scheduler, each with a lease that a loop must refresh.
/// In virtual time; on request in real time too, told so many times faster.
/// </summary>
internal sealed class LeasesExperiment : IExperiment
{
    /// <summary>How often a run is measured that is over within <see cref="LongestShortRun"/>.</summary>
    public const int ShortRuns = 3;

    private static readonly Func<Run, Run> s_tiny = static run => run with { Story = run.Story with { Messages = 3, Turns = 1 } };

    /// <summary>A row in real time, in a process of its own: so the .NET pool is as the runtime makes it, and nobody else's.</summary>
    public static OwnPart<Run, Outcome> Part { get; } = new("leases", MeasureAsync);

    public static TimeSpan LongestShortRun { get; } = TimeSpan.FromSeconds(20);

    public string Name => "leases";

    public string About => "When continuations that keep leases, handle messages and receive new ones compete for threads, which leases are lost?";

    public async Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        Row[] rows = [.. Rows.Published.Concat(Rows.Holdfast).Select(row => Sized(row, scope))];
        var count = rows.Length + (scope.IsReal ? 1 : 0);

        var found = new List<Found>();
        foreach (var row in rows)
        {
            cancel.ThrowIfCancellationRequested();
            progress.Report(Step.Of(row.Name, found.Count, count));
            found.Add(new(row, Simulate(row.Run)));
        }

        if (!scope.IsReal)
            return LeasesReport.Of(found, []);

        progress.Report(Step.Of($"in real time, {scope.Faster} times faster", found.Count, count));
        return LeasesReport.Of(found, await MeasureAllAsync([.. rows.Where(row => row.HasReal), .. Rows.DotNetPool.Select(row => Sized(row, scope))], scope.Faster, cancel));
    }

    internal static Outcome Simulate(Run run)
    {
        using var machine = new SimulatedMachine(run.Seed);
        return run.On(machine);
    }

    private static Row Sized(Row row, Scope scope) => row with { Run = scope.Pick(row.Run, s_tiny(row.Run)) with { Seed = scope.Seed } };

    // Those that sleep disturb nobody, and run at the same time beside those that burn one core, one after the other. Those that burn more come last, alone.
    private static async Task<Compared[]> MeasureAllAsync(Row[] rows, int faster, CancellationToken cancel)
    {
        var asleep = rows.Where(row => !row.Run.Burns).Select(row => MeasureAsync(row, faster, cancel)).ToArray();
        var compared = new List<Compared>();
        foreach (var row in rows.Where(row => row.Run is { Burns: true, Threads: 1 }))
            compared.Add(await MeasureAsync(row, faster, cancel));
        compared.InsertRange(0, await Task.WhenAll(asleep));
        foreach (var row in rows.Where(row => row.Run is { Burns: true, Threads: > 1 }))
            compared.Add(await MeasureAsync(row, faster, cancel));
        return [.. compared];
    }

    private static async Task<Compared> MeasureAsync(Row row, int faster, CancellationToken cancel)
    {
        var run = row.Run.HasOwnPace ? row.Run : row.Run with { Faster = faster };
        return new(row with { Run = run }, Simulate(run), await MiddleAsync(run, cancel));
    }

    // One hiccup of the machine is much of a short run: of three the middle one counts.
    private static async Task<Outcome> MiddleAsync(Run run, CancellationToken cancel)
    {
        List<Outcome> found = [await Part.AskAsync(run, cancel)];
        while (found.Count < ShortRuns && found[0].Total < LongestShortRun.TotalSeconds)
            found.Add(await Part.AskAsync(run, cancel));
        return found.OrderBy(one => one.Total).ElementAt(found.Count / 2);
    }

    private static Task<Outcome> MeasureAsync(Run run)
    {
        using var machine = new RealMachine(run.Burns);
        return Task.FromResult(run.On(machine));
    }
}
