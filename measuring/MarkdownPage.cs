using System.Runtime.InteropServices;
using System.Text;

namespace Holdfast.Measuring;

/// <summary>A page of Markdown whose sections can be replaced one by one, and what they are made of.</summary>
internal static class MarkdownPage
{
    public const string Heading = "## ";

    /// <summary>The page with that section in the place of the one of the same heading; at its end where there is none.</summary>
    public static string With(string page, string heading, string section)
    {
        var start = $"\n{page}".IndexOf($"\n{Heading}{heading}\n", StringComparison.Ordinal);
        if (start < 0)
            return $"{page.TrimEnd()}\n\n{section}";

        var next = page.IndexOf($"\n{Heading}", start + heading.Length, StringComparison.Ordinal);
        return next < 0 ? page[..start] + section : $"{page[..start]}{section}{page[next..]}";
    }

    public static string Table(string[] columns, IEnumerable<string[]> rows)
    {
        var text = new StringBuilder();
        text.Append(Line(columns)).Append(Line([.. columns.Select(_ => "---")]));
        foreach (var row in rows)
            text.Append(Line(row));
        return text.ToString();
    }

    /// <summary>When, on what and with which command it was measured.</summary>
    public static string Provenance(string command) =>
        $"{DateTime.UtcNow:yyyy-MM-dd HH:mm} UTC, {Environment.ProcessorCount} CPUs ({RuntimeInformation.ProcessArchitecture}), {RuntimeInformation.OSDescription}, {RuntimeInformation.FrameworkDescription}: `{command}`.";

    private static string Line(string[] cells) => $"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|")))} |\n";
}
