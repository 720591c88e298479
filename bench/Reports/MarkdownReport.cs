using System.Text;

namespace Holdfast.Bench;

/// <summary>The same tables as Markdown, a section for each case. In a page that is there already, each takes the place of its older self.</summary>
internal static class MarkdownReport
{
    /// <summary>Writes the page, and the charts into a folder of its name beside it.</summary>
    public static async Task WriteAsync(string file, IReadOnlyList<Sheet> sheets)
    {
        var page = File.Exists(file) ? await File.ReadAllTextAsync(file) : "# Benchmarks\n";
        var charts = Path.ChangeExtension(file, null);
        foreach (var sheet in sheets.Where(sheet => sheet.Rows.Count > 0))
        {
            if (sheet.Bars.Count > 0)
            {
                Directory.CreateDirectory(charts);
                await File.WriteAllTextAsync(Path.Combine(charts, ChartName(sheet)), BarChart.Of(sheet.Title, sheet.Bars));
            }

            page = MarkdownPage.With(page, sheet.Title, Section(sheet, Path.GetFileName(charts)));
        }

        await File.WriteAllTextAsync(file, page);
    }

    private static string ChartName(Sheet sheet) => $"{sheet.Title}.svg";

    private static string Section(Sheet sheet, string charts)
    {
        var text = new StringBuilder();
        text.Append($"{MarkdownPage.Heading}{sheet.Title}\n\n{sheet.About}\n\n");
        if (sheet.Bars.Count > 0)
            text.Append($"![{sheet.Title}]({charts}/{ChartName(sheet)})\n\n");
        text.Append(MarkdownPage.Table(sheet.Columns, sheet.Rows.Select(judged => (string[])[.. judged.Row.Cells, judged.Row.Bound, judged.Verdict.Text()])));
        text.Append('\n');
        foreach (var note in sheet.Notes)
            text.Append($"- {note}\n");
        text.Append($"- {MarkdownPage.Provenance($"make bench BENCH={sheet.Title}")}\n");
        return text.ToString();
    }
}
