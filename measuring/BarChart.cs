namespace Holdfast.Measuring;

/// <summary>Bars in groups, as an SVG.</summary>
internal static class BarChart
{
    private const int LeastNames = 130;
    private const int Values = 230;
    private const int Line = 22;
    private const int Heading = 30;
    private const int Thickness = 14;

    // Longer than so many times the shortest, and the short ones could not be told apart.
    private const double MostLinear = 100;

    public static string Of(string title, IReadOnlyList<Bar> bars)
    {
        var groups = bars.GroupBy(bar => bar.Group).ToArray();
        var names = Math.Max(LeastNames, SvgPage.Margin + 8 + (SvgPage.LetterWidth * bars.Max(bar => bar.Name.Length)));
        var scale = Scale(bars, SvgPage.Width - names - Values, out var isLogarithmic);
        var page = new SvgPage(title, SvgPage.Margin + (groups.Length * Heading) + (bars.Count * Line) + Line + SvgPage.Margin);

        var y = SvgPage.Margin;
        foreach (var group in groups)
        {
            page.Heading(SvgPage.Margin, y + 18, group.Key);
            y += Heading;
            foreach (var bar in group)
            {
                Draw(page, bar, names, y, scale);
                y += Line;
            }
        }

        var ranges = bars.Any(bar => bar.Value.Most > bar.Value.Least) ? "Medians; the thin line reaches from the least to the most of the rounds." : "";
        page.Text(SvgPage.Margin, y + 18, isLogarithmic ? "Lengths are logarithms." : ranges);
        return page.ToString();
    }

    private static void Draw(SvgPage page, Bar bar, double names, int y, Func<double, double> scale)
    {
        var (end, least, most) = (scale(bar.Value.Value), scale(bar.Value.Least), scale(bar.Value.Most));
        var middle = y + (Thickness / 2);
        page.Text(SvgPage.Margin, y + 12, bar.Name);
        page.Box(bar.IsOurs ? "bar ours" : "bar", names, y, Math.Max(1, end), Thickness);
        if (most > least)
            page.Path("range", $"M{names + least:0.#} {middle}H{names + most:0.#}");
        page.Text(names + Math.Max(end, most) + 8, y + 12, bar.Label);
    }

    // From a value to a length; by its logarithm where the values differ too much, and then the shortest is a tenth of a decade.
    private static Func<double, double> Scale(IReadOnlyList<Bar> bars, double longest, out bool isLogarithmic)
    {
        var most = bars.Max(bar => bar.Value.Most);
        var least = Math.Max(bars.Min(bar => bar.Value.Least), most / 1e6);
        isLogarithmic = most / least > MostLinear;
        if (!isLogarithmic)
            return value => value / most * longest;

        var from = Math.Log10(least) - 0.1;
        return value => Math.Max(0, Math.Log10(Math.Max(value, least)) - from) / (Math.Log10(most) - from) * longest;
    }
}
