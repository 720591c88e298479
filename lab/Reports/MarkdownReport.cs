using System.Text;

namespace Holdfast.Lab;

/// <summary>A report as a section of the page.</summary>
internal static class MarkdownReport
{
    /// <summary>The section, which finds its charts in that folder beside the page.</summary>
    public static string Section(IExperiment experiment, Report report, string charts)
    {
        var text = new StringBuilder();
        text.Append($"{MarkdownPage.Heading}{experiment.Name}\n\n{experiment.About}\n\n{report.Published}\n\n");
        foreach (var table in report.Tables)
            text.Append($"**{table.Caption}**\n\n{MarkdownPage.Table(table.Columns, table.Rows)}\n");
        foreach (var chart in report.Charts)
            text.Append($"![{chart.Caption}]({charts}/{FileName(experiment, chart)})\n\n");
        foreach (var finding in report.Findings)
            text.Append($"{finding}\n\n");
        foreach (var note in report.Notes)
            text.Append($"- {note}\n");
        return text.ToString().TrimEnd() + "\n";
    }

    public static string FileName(IExperiment experiment, ReportChart chart) =>
        chart.Name.Length > 0 ? $"{experiment.Name}-{chart.Name}.svg" : $"{experiment.Name}.svg";
}
