using Holdfast.Lab;
using Holdfast.Lab.Awaits;
using Holdfast.Lab.Inline;
using Holdfast.Lab.Syncio;
using Holdfast.Lab.Throttle;

namespace Holdfast.Tests.Lab;

/// <summary>Each experiment, in the least scale, in processes of their own as ever: that all of it runs and nothing is missing from what it shows.</summary>
public sealed class ExperimentTests
{
    [Fact]
    public async Task Awaits_shows_the_seven_methods_beside_the_published_means()
    {
        var report = await RunAsync(new AwaitsExperiment());

        Assert.Equal(["108.2", "108.6", "108.4", "108.4", "156.5", "108.5", "108.5"], report.Tables[0].Rows.Select(row => row[1]));
    }

    [Fact]
    public async Task Throttle_shows_each_way_synchronous_and_asynchronous()
    {
        var report = await RunAsync(new ThrottleExperiment());

        Assert.Equal(2, report.Tables.Length);
        Assert.All(report.Tables, table => Assert.Equal(Enum.GetValues<Throttling>().Length, table.Rows.Length));
        Assert.Equal("5.73 s", report.Tables[0].Rows[0][2]);
        Assert.Equal("8 to 67 µs", report.Tables[1].Rows[1][2]);
    }

    [Fact]
    public async Task Syncio_shows_each_way_under_each_load_and_every_lease()
    {
        var report = await RunAsync(new SyncioExperiment());

        Assert.Equal(5 * 2, report.Tables[0].Rows.Length);
        Assert.Equal(["10 times", "", ""], report.Tables[1].Rows.Select(row => row[2]));
        Assert.Equal(2 * 2, report.Tables[2].Rows.Length);
        Assert.All(report.Tables[2].Rows, row => Assert.Equal("0", row[4]));
    }

    [Fact]
    public async Task Inline_shows_chains_and_fans_on_the_pool_and_on_a_lane()
    {
        var report = await RunAsync(new InlineExperiment());

        Assert.Equal(4, report.Tables[0].Rows.Length);
        Assert.Equal(4, report.Tables[1].Rows.Length);
        Assert.Contains("2.2 to 3.1", report.Tables[0].Rows[0][4]);
    }

    [Fact]
    public async Task A_part_that_is_stopped_is_not_waited_for()
    {
        using var stop = new CancellationTokenSource();
        var asked = SyncioExperiment.Part.AskAsync(new(Runner.Pool, IsBlocking: true, AtOnce: 1, WaitSeconds: 1, WindowSeconds: 3600), stop.Token);
        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
    }

    [Fact]
    public async Task A_part_that_breaks_says_so()
    {
        var failed = await Assert.ThrowsAsync<PartFailedException>(() => AwaitsExperiment.Part.AskAsync(new(WarmUps: 0, Rounds: -1), CancellationToken.None));

        Assert.Contains("awaits", failed.Message);
    }

    private static async Task<Report> RunAsync(IExperiment experiment)
    {
        var steps = new Steps();
        var report = await experiment.RunAsync(new Scope { IsQuick = true }, steps, CancellationToken.None);

        Assert.NotEmpty(steps.Taken);
        Assert.All(steps.Taken, step => Assert.InRange(step.Done, 0, 1));
        Assert.NotEmpty(report.Findings);
        Assert.NotEmpty(report.Charts);
        Assert.All(report.Tables, table => Assert.All(table.Rows, row => Assert.Equal(table.Columns.Length, row.Length)));
        Assert.All(report.Charts, chart => Drawings.Check(chart.Svg));
        return report;
    }

    private sealed class Steps : IProgress<Step>
    {
        public List<Step> Taken { get; } = [];

        public void Report(Step value) => Taken.Add(value);
    }
}
