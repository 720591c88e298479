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
        console.WriteLine("Without a name all of them run. --quick only sees that each still runs; --markdown FILE writes the tables to a file too.");
    }

    public static void Write(IAnsiConsole console, Sheet sheet)
    {
        console.MarkupLineInterpolated($"[bold]{sheet.Title}[/]: {sheet.About}");
        var table = new Table().Border(TableBorder.Rounded);
        foreach (var column in sheet.Columns)
            table.AddColumn(new TableColumn(Markup.Escape(column)).NoWrap());
        foreach (var row in sheet.Rows)
            table.AddRow([.. row.Cells.Select(Markup.Escape), Markup.Escape(row.Bound), Colored(row)]);
        console.Write(table);
        foreach (var note in sheet.Notes)
            console.MarkupLineInterpolated($"[grey]{note}[/]");
        console.WriteLine();
    }

    public static void Summarize(IAnsiConsole console, IReadOnlyList<Sheet> sheets)
    {
        var bounds = sheets.Sum(sheet => sheet.Bounds);
        var broken = sheets.Sum(sheet => sheet.Broken);
        console.WriteLine(
            bounds == 0 ? "Nothing was judged."
            : broken == 0 ? $"All {bounds} bounds hold."
            : $"{broken} of {bounds} bounds do not hold.");
    }

    private static string Colored(Row row) => row.Holds switch
    {
        true => $"[green]{Sheet.VerdictOf(row)}[/]",
        false => $"[red]{Sheet.VerdictOf(row)}[/]",
        null => "",
    };
}
