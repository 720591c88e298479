using System.Net;
using System.Text;

namespace Holdfast.Bench;

/// <summary>A case's bars as an SVG, readable on a light and on a dark page.</summary>
internal static class SvgChart
{
    private const int Width = 720;
    private const int Names = 130;
    private const int Values = 230;
    private const int Line = 22;
    private const int Heading = 30;
    private const int Thickness = 14;
    private const int Margin = 14;

    // Longer than so many times the shortest, and the short ones could not be told apart.
    private const double MostLinear = 100;

    private const string Style = """
        <style>
        text{font:12px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.page{fill:#fff}.bar{fill:#8c959f}.ours{fill:#0969da}.range{stroke:#1f2328}
        @media (prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.bar{fill:#6e7681}.ours{fill:#4493f8}.range{stroke:#e6edf3}}
        </style>
        """;

    public static string Of(string title, IReadOnlyList<Bar> bars)
    {
        var groups = bars.GroupBy(bar => bar.Group).ToArray();
        var scale = Scale(bars, out var isLogarithmic);
        var height = Margin + (groups.Length * Heading) + (bars.Count * Line) + Line + Margin;
        var text = new StringBuilder();
        text.Append($"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" width=\"{Width}\" height=\"{height}\" role=\"img\" aria-label=\"{Escaped(title)}\">\n");
        text.Append(Style.ReplaceLineEndings("\n"));
        text.Append($"\n<rect class=\"page\" width=\"{Width}\" height=\"{height}\" rx=\"6\"/>\n");

        var y = Margin;
        foreach (var group in groups)
        {
            text.Append($"<text class=\"h\" x=\"{Margin}\" y=\"{y + 18}\">{Escaped(group.Key)}</text>\n");
            y += Heading;
            foreach (var bar in group)
            {
                Append(text, bar, y, scale);
                y += Line;
            }
        }

        var caption = isLogarithmic ? "Lengths are logarithms." : "Medians; the thin line reaches from the least to the most of the rounds.";
        text.Append($"<text x=\"{Margin}\" y=\"{y + 18}\">{caption}</text>\n");
        return text.Append("</svg>\n").ToString();
    }

    private static void Append(StringBuilder text, Bar bar, int y, Func<double, double> scale)
    {
        var ours = bar.Name == Contender.Holdfast.Title() ? "bar ours" : "bar";
        var (end, least, most) = (scale(bar.Value.Value), scale(bar.Value.Least), scale(bar.Value.Most));
        var middle = y + (Thickness / 2);
        text.Append($"<text x=\"{Margin}\" y=\"{y + 12}\">{Escaped(bar.Name)}</text>");
        text.Append($"<rect class=\"{ours}\" x=\"{Names}\" y=\"{y}\" width=\"{Math.Max(1, end):0.#}\" height=\"{Thickness}\" rx=\"2\"/>");
        if (most > least)
            text.Append($"<path class=\"range\" d=\"M{Names + least:0.#} {middle}H{Names + most:0.#}\"/>");
        text.Append($"<text x=\"{Names + Math.Max(end, most) + 8:0.#}\" y=\"{y + 12}\">{Number.Show(bar.Value.Value)}{(bar.Note.Length > 0 ? $", {Escaped(bar.Note)}" : "")}</text>\n");
    }

    // From a value to a length; by its logarithm where the values differ too much, and then the shortest is a tenth of a decade.
    private static Func<double, double> Scale(IReadOnlyList<Bar> bars, out bool isLogarithmic)
    {
        const int Longest = Width - Names - Values;
        var most = bars.Max(bar => bar.Value.Most);
        var least = Math.Max(bars.Min(bar => bar.Value.Least), most / 1e6);
        isLogarithmic = most / least > MostLinear;
        if (!isLogarithmic)
            return value => value / most * Longest;

        var from = Math.Log10(least) - 0.1;
        return value => Math.Max(0, Math.Log10(Math.Max(value, least)) - from) / (Math.Log10(most) - from) * Longest;
    }

    private static string Escaped(string text) => WebUtility.HtmlEncode(text);
}
