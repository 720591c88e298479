using Holdfast.Lab;

namespace Holdfast.Tests.Lab;

/// <summary>An experiment that finds what it is told to.</summary>
internal sealed class FakeExperiment(string name, Func<CancellationToken, Task<Report>> run) : IExperiment
{
    public FakeExperiment(string name, Report report)
        : this(name, _ => Task.FromResult(report))
    {
    }

    public string Name => name;

    public string About => $"Whether {name} holds.";

    public static Report Report(string cell, params string[] charts) => new("Published.", [new("Figures", ["what", "ours"], [[cell, "1"]])], ["A finding."])
    {
        Charts = [.. charts.Select(chart => new ReportChart(chart, "A chart", $"<svg>{cell}</svg>"))],
    };

    public Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel)
    {
        progress.Report(new("running", 0));
        return run(cancel);
    }
}
