using System.Runtime.InteropServices;
using System.Text;

namespace Holdfast.Bench;

/// <summary>The same tables as Markdown, a section for each case. In a page that is there already, each takes the place of its older self.</summary>
internal static class MarkdownReport
{
    private const string Heading = "## ";

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
                await File.WriteAllTextAsync(Path.Combine(charts, ChartName(sheet)), SvgChart.Of(sheet.Title, sheet.Bars));
            }

            page = With(page, Heading + sheet.Title, Section(sheet, Path.GetFileName(charts)));
        }

        await File.WriteAllTextAsync(file, page);
    }

    /// <summary>The page with that section in the place of the one of the same heading; at its end where there is none.</summary>
    internal static string With(string page, string heading, string section)
    {
        var start = $"\n{page}".IndexOf($"\n{heading}\n", StringComparison.Ordinal);
        if (start < 0)
            return $"{page.TrimEnd()}\n\n{section}";

        var next = page.IndexOf($"\n{Heading}", start + heading.Length, StringComparison.Ordinal);
        return next < 0 ? page[..start] + section : $"{page[..start]}{section}{page[next..]}";
    }

    private static string ChartName(Sheet sheet) => $"{sheet.Title}.svg";

    private static string Section(Sheet sheet, string charts)
    {
        var text = new StringBuilder();
        text.Append($"{Heading}{sheet.Title}\n\n{sheet.About}\n\n");
        if (sheet.Bars.Count > 0)
            text.Append($"![{sheet.Title}]({charts}/{ChartName(sheet)})\n\n");
        text.Append(Line(sheet.Columns)).Append(Line([.. sheet.Columns.Select(_ => "---")]));
        foreach (var (row, verdict) in sheet.Rows)
            text.Append(Line([.. row.Cells, row.Bound, verdict.Text()]));
        text.Append('\n');
        foreach (var note in sheet.Notes)
            text.Append($"- {note}\n");
        text.Append($"- {DateTime.UtcNow:yyyy-MM-dd HH:mm} UTC, {Environment.ProcessorCount} CPUs ({RuntimeInformation.ProcessArchitecture}), {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}: `make bench BENCH={sheet.Title}`.\n");
        return text.ToString();
    }

    private static string Line(string[] cells) => $"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|")))} |\n";
}
