namespace Holdfast.Lab.Leases;

/// <summary>Each message's life as a bar, from left to right; what was lost in another colour. One panel for each row, each with its own time.</summary>
internal static class LivesChart
{
    private const int Heading = 28;
    private const int Pitch = 3;
    private const int Thickness = 2;
    private const int Axis = 30;
    private const double PlotWidth = SvgPage.Width - (2 * SvgPage.Margin);
    private const string Title = "Messages' lives";

    public static ReportChart Of(IReadOnlyList<Found> found)
    {
        var page = new SvgPage(Title, (2 * SvgPage.Margin) + found.Sum(Height));
        var top = SvgPage.Margin;
        foreach (var one in found)
        {
            Draw(page, one, top);
            top += Height(one);
        }

        return new("lives", Title, page.ToString());
    }

    private static int Height(Found one) => Heading + (one.Outcome.Spans.Length * Pitch) + Axis;

    private static void Draw(SvgPage page, Found one, int top)
    {
        var scale = PlotWidth / one.Outcome.Total;
        page.Heading(SvgPage.Margin, top + 16, $"{one.Row.Name}: {one.Outcome.Lost} of {one.Outcome.Spans.Length} lost");
        var y = top + Heading;
        foreach (var span in one.Outcome.Spans)
        {
            var style = span.Lost is not null ? "lost" : one.Row.Published is null ? "bar ours" : "bar";
            page.Box(style, SvgPage.Margin + (span.From * scale), y, Math.Max(1, (span.To - span.From) * scale), Thickness);
            y += Pitch;
        }

        page.Text(SvgPage.Margin, y + 16, "0").Text(SvgPage.Width - SvgPage.Margin, y + 16, $"{one.Outcome.Total / 60:0.0} min", "end");
    }
}
