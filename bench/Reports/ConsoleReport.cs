using Spectre.Console;

namespace Holdfast.Bench;

/// <summary>Tables for the terminal.</summary>
internal static class ConsoleReport
{
    public static void List(IAnsiConsole console)
    {
        var list = new Table().Border(TableBorder.None).HideHeaders().AddColumns("", "");
        foreach (var one in Catalog.All)
            list.AddRow($"[bold]{one.Name}[/]", Markup.Escape(one.About));
        console.Write(list);
        console.WriteLine();
        console.WriteLine("Without a name all of them run; the part before a dash names all that begin with it. --quick only sees that each still runs; --markdown FILE puts the tables and charts into a page too.");
    }

    public static void Write(IAnsiConsole console, Sheet sheet)
    {
        console.MarkupLineInterpolated($"[bold]{sheet.Title}[/]: {sheet.About}");
        var table = new Table().Border(TableBorder.Rounded);
        foreach (var column in sheet.Columns)
            table.AddColumn(new TableColumn(Markup.Escape(column)).NoWrap());
        foreach (var (row, verdict) in sheet.Rows)
            table.AddRow([.. row.Cells.Select(Markup.Escape), Markup.Escape(row.Bound), Colored(verdict)]);
        if (sheet.Rows.Count > 0)
            console.Write(table);
        foreach (var note in sheet.Notes)
            console.MarkupLineInterpolated($"[grey]{note}[/]");
        console.WriteLine();
    }

    public static void Summarize(IAnsiConsole console, IReadOnlyList<Sheet> sheets)
    {
        var verdicts = sheets.SelectMany(sheet => sheet.Rows).CountBy(row => row.Verdict).ToDictionary();
        int Count(Verdict verdict) => verdicts.GetValueOrDefault(verdict);
        var busy = Count(Verdict.MachineBusy) is > 0 and var many ? $", and {many} do not while the machine is busy with other things" : "";
        console.WriteLine(verdicts.Keys.All(verdict => verdict == Verdict.None)
            ? "Nothing was judged: a quick run only sees that all of it runs."
            : $"{Count(Verdict.Holds)} bounds hold, {Count(Verdict.DoesNotHold)} do not{busy}.");
    }

    private static string Colored(Verdict verdict) => verdict switch
    {
        Verdict.Holds => $"[green]{verdict.Text()}[/]",
        Verdict.DoesNotHold => $"[red]{verdict.Text()}[/]",
        _ => $"[yellow]{verdict.Text()}[/]",
    };
}
