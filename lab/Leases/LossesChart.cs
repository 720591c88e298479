namespace Holdfast.Lab.Leases;

/// <summary>How many leases were lost by when: a line for each row that lost some, and one at zero for all that lost none.</summary>
internal static class LossesChart
{
    private const int Left = 40;
    private const int Top = 40;
    private const int PlotHeight = 220;
    private const int Below = 44;
    private const int LegendLine = 20;
    private const double PlotWidth = SvgPage.Width - Left - SvgPage.Margin;
    private const string Title = "Leases lost over time";
    private static readonly string[] s_styles = ["b", "c", "d", "e"];

    public static ReportChart Of(IReadOnlyList<Found> found)
    {
        var losing = found.Where(one => one.Outcome.Lost > 0).Take(s_styles.Length).ToArray();
        var most = found[0].Row.Run.Story.Messages;
        var longest = found.Max(one => one.Outcome.Total);
        var page = new SvgPage(Title, Top + PlotHeight + Below + ((losing.Length + 1) * LegendLine) + SvgPage.Margin);
        page.Heading(SvgPage.Margin, SvgPage.Margin + 12, Title);

        for (var quarter = 0; quarter <= 4; quarter++)
        {
            page.Path("grid", $"M{Left} {Y(quarter / 4.0):0.#}h{PlotWidth:0.#}");
            page.Text(Left - 6, Y(quarter / 4.0) + 4, $"{most * quarter / 4}", "end");
            page.Text(Left + (PlotWidth * quarter / 4), Top + PlotHeight + 16, $"{longest * quarter / 4 / 60:0.0}", quarter == 4 ? "end" : "middle");
        }

        page.Text(SvgPage.Width - SvgPage.Margin, Top + PlotHeight + 34, "minutes", "end");
        var legend = Top + PlotHeight + Below;
        foreach (var (one, style) in losing.Zip(s_styles))
        {
            page.Path($"line {style}", Steps(one.Outcome, most, longest));
            Legend(page, legend, style, $"{one.Row.Name}: {one.Outcome.Lost}");
            legend += LegendLine;
        }

        page.Path("line a", $"M{Left} {Y(0):0.#}h{PlotWidth:0.#}");
        Legend(page, legend, "a", $"{string.Join("; ", Keeping(found))}: 0");
        return new("losses", Title, page.ToString());
    }

    private static IEnumerable<string> Keeping(IReadOnlyList<Found> found)
    {
        var areOursKept = found.All(one => one.Row.Published is not null || one.Outcome.Lost == 0);
        var names = found.Where(one => one.Outcome.Lost == 0 && (one.Row.Published is not null || !areOursKept)).Select(one => one.Row.Name);
        return areOursKept ? names.Append("all of Holdfast's") : names;
    }

    private static string Steps(Outcome outcome, int most, double longest)
    {
        var path = $"M{Left} {Y(0):0.#}";
        var lost = 0;
        foreach (var at in outcome.Spans.Where(span => span.Lost is not null).Select(span => span.Lost!.Value).Order())
            path += $"H{Left + (at / longest * PlotWidth):0.#}V{Y((double)++lost / most):0.#}";
        return $"{path}H{Left + (outcome.Total / longest * PlotWidth):0.#}";
    }

    private static double Y(double share) => Top + (PlotHeight * (1 - share));

    private static void Legend(SvgPage page, int y, string style, string text) => page.Path($"line {style}", $"M{Left} {y}h24").Text(Left + 32, y + 4, text);
}
