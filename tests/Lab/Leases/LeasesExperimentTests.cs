using System.Xml.Linq;
using Holdfast.Lab;
using Holdfast.Lab.Leases;

namespace Holdfast.Tests.Lab.Leases;

public sealed class LeasesExperimentTests
{
    [Fact]
    public async Task It_shows_all_rows_and_both_charts()
    {
        var report = await new LeasesExperiment().RunAsync(new Scope { IsQuick = true }, new Nobody(), CancellationToken.None);

        Assert.Equal([Rows.Published.Length, Rows.Holdfast.Length], report.Tables.Select(table => table.Rows.Length));
        Assert.All(report.Tables, table => Assert.All(table.Rows, row => Assert.Equal(table.Columns.Length, row.Length)));
        Assert.Equal(["lives", "losses"], report.Charts.Select(chart => chart.Name));
        Assert.All(report.Charts, chart => Assert.NotNull(XDocument.Parse(chart.Svg).Root));
    }

    [Fact]
    public async Task In_real_time_it_shows_each_row_that_is_short_enough_beside_its_virtual_twin()
    {
        var report = await new LeasesExperiment().RunAsync(new Scope { IsQuick = true, IsReal = true, Faster = 50 }, new Nobody(), CancellationToken.None);

        var real = report.Tables[^1];
        Assert.Equal(Rows.Published.Concat(Rows.Holdfast).Count(row => row.HasReal) + Rows.DotNetPool.Length, real.Rows.Length);
        Assert.All(real.Rows, row => Assert.Equal(row[0].StartsWith(".NET", StringComparison.Ordinal) ? "1" : "50", row[1]));
    }

    [Fact]
    public async Task It_stops_between_two_rows()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();

        await Assert.ThrowsAsync<OperationCanceledException>(() => new LeasesExperiment().RunAsync(new Scope { IsQuick = true }, new Nobody(), stop.Token));
    }

    private sealed class Nobody : IProgress<Step>
    {
        public void Report(Step value)
        {
        }
    }
}
