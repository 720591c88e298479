namespace Holdfast.Measuring;

/// <summary>Lines over two logarithmic axes, as an SVG.</summary>
internal static class LineChart
{
    private const int Left = 60;
    private const int Right = 20;
    private const int Top = 40;
    private const int PlotHeight = 260;
    private const int Below = 44;
    private const int LegendLine = 20;
    private const double PlotWidth = SvgPage.Width - Left - Right;
    private static readonly string[] s_styles = ["e", "b", "c", "a", "d"];

    /// <summary>Draws up to five lines; all values are above zero.</summary>
    public static string Of(string title, string across, IReadOnlyList<Series> lines)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lines.Count, s_styles.Length);
        var (x, y) = (Axis.Around(lines.SelectMany(line => line.Points.Select(point => point.X))), Axis.Around(lines.SelectMany(line => line.Points.Select(point => point.Y))));
        var page = new SvgPage(title, Top + PlotHeight + Below + (lines.Count * LegendLine) + SvgPage.Margin);
        page.Heading(SvgPage.Margin, SvgPage.Margin + 12, title);

        foreach (var decade in y.Decades)
        {
            page.Path("grid", $"M{Left} {Across(y, decade):0.#}H{SvgPage.Width - Right}");
            page.Text(Left - 6, Across(y, decade) + 4, Number.Plain(decade), "end");
        }

        foreach (var decade in x.Decades)
        {
            page.Path("grid", $"M{Along(x, decade):0.#} {Top}V{Top + PlotHeight}");
            page.Text(Along(x, decade), Top + PlotHeight + 16, Number.Plain(decade), "middle");
        }

        page.Text(SvgPage.Width - Right, Top + PlotHeight + 34, across, "end");
        for (var i = 0; i < lines.Count; i++)
        {
            page.Path($"line {s_styles[i]}", $"M{string.Join('L', lines[i].Points.Select(point => $"{Along(x, point.X):0.#} {Across(y, point.Y):0.#}"))}");
            var legend = Top + PlotHeight + Below + (i * LegendLine);
            page.Path($"line {s_styles[i]}", $"M{Left} {legend}h24");
            page.Text(Left + 32, legend + 4, lines[i].Name);
        }

        return page.ToString();
    }

    private static double Along(Axis axis, double value) => Left + (axis.Place(value) * PlotWidth);

    private static double Across(Axis axis, double value) => Top + PlotHeight - (axis.Place(value) * PlotHeight);

    /// <summary>Whole decades, from one below or at the least value to one above or at the most.</summary>
    private sealed record Axis(int From, int To)
    {
        public IEnumerable<double> Decades => Enumerable.Range(From, To - From + 1).Select(power => Math.Pow(10, power));

        public static Axis Around(IEnumerable<double> values)
        {
            var logarithms = values.Select(Math.Log10).ToArray();
            var (from, to) = ((int)Math.Floor(logarithms.Min()), (int)Math.Ceiling(logarithms.Max()));
            return new(from, Math.Max(to, from + 1));
        }

        /// <summary>From 0 to 1.</summary>
        public double Place(double value) => (Math.Log10(value) - From) / (To - From);
    }
}
