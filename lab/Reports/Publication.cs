namespace Holdfast.Lab;

/// <summary>The page and its charts: a report takes the place of the older one of its experiment, with all its files or with none.</summary>
internal sealed class Publication(string folder)
{
    private const string PageName = "lab.md";
    private const string ChartFolder = "lab";
    private const string Beside = ".new";

    private const string Preamble = """
        # The lab

        Experiments on asynchronous C# that were published, and from which this project grew: each run again here, its published figures beside ours, and beside what Holdfast does about it. `make lab` runs them all and writes this page; `dotnet run -c Release --project lab -- NAME` runs one and replaces its section. The published figures come from another machine and an older runtime: what can be compared are the shapes, not the milliseconds.
        """;

    public void Write(IExperiment experiment, Report report)
    {
        var page = Path.Combine(folder, PageName);
        var charts = Path.Combine(folder, ChartFolder);
        var before = File.Exists(page) ? File.ReadAllText(page) : Preamble.ReplaceLineEndings("\n");
        var section = MarkdownReport.Section(experiment, report, ChartFolder);

        // The page comes last: it must not show a chart that is not there.
        (string Name, string Text)[] files =
        [
            .. report.Charts.Select(chart => (Path.Combine(charts, MarkdownReport.FileName(experiment, chart)), chart.Svg)),
            (page, MarkdownPage.With(before, experiment.Name, section)),
        ];
        if (report.Charts.Length > 0)
            Directory.CreateDirectory(charts);
        WriteAll(files);
    }

    private static void WriteAll((string Name, string Text)[] files)
    {
        try
        {
            foreach (var (name, text) in files)
                File.WriteAllText(name + Beside, text);
            foreach (var (name, _) in files)
                File.Move(name + Beside, name, overwrite: true);
        }
        finally
        {
            foreach (var (name, _) in files)
                File.Delete(name + Beside);
        }
    }
}
