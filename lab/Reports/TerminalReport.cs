using Spectre.Console;

namespace Holdfast.Lab;

/// <summary>A report for the terminal: prose and tables, for charts are not to be seen there.</summary>
internal static class TerminalReport
{
    public static void Write(IAnsiConsole console, IExperiment experiment, Report report)
    {
        console.MarkupLineInterpolated($"[bold]{experiment.Name}[/]: {experiment.About}");
        console.MarkupLineInterpolated($"[grey]{report.Published}[/]");
        foreach (var table in report.Tables)
            Write(console, table);
        foreach (var finding in report.Findings)
            console.WriteLine(finding);
        foreach (var note in report.Notes)
            console.MarkupLineInterpolated($"[grey]{note}[/]");
        console.WriteLine();
    }

    private static void Write(IAnsiConsole console, ReportTable table)
    {
        var shown = new Table().Border(TableBorder.Rounded).Title(Markup.Escape(table.Caption), Style.Plain);
        foreach (var column in table.Columns)
            shown.AddColumn(Markup.Escape(column));
        foreach (var row in table.Rows)
            shown.AddRow([.. row.Select(Markup.Escape)]);
        console.Write(shown);
    }
}
