using System.Runtime.InteropServices;
using System.Text;

namespace Holdfast.Bench;

/// <summary>The same tables as Markdown.</summary>
internal static class MarkdownReport
{
    public static string Of(IEnumerable<Sheet> sheets)
    {
        var text = new StringBuilder();
        text.AppendLine("# Benchmarks");
        text.AppendLine();
        text.AppendLine($"{DateTime.UtcNow:yyyy-MM-dd HH:mm} UTC, {Environment.ProcessorCount} CPUs ({RuntimeInformation.ProcessArchitecture}), {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}.");
        foreach (var sheet in sheets)
            Append(text, sheet);
        return text.ToString();
    }

    private static void Append(StringBuilder text, Sheet sheet)
    {
        text.AppendLine();
        text.AppendLine($"## {sheet.Title}");
        text.AppendLine();
        text.AppendLine(sheet.About);
        text.AppendLine();
        text.AppendLine(Line(sheet.Columns));
        text.AppendLine(Line([.. sheet.Columns.Select(_ => "---")]));
        foreach (var (row, verdict) in sheet.Rows)
            text.AppendLine(Line([.. row.Cells, row.Bound, verdict.Text()]));
        text.AppendLine();
        foreach (var note in sheet.Notes)
            text.AppendLine($"- {note}");
    }

    private static string Line(string[] cells) => $"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|")))} |";
}
