using System.Globalization;
using System.Text.Json;

namespace Holdfast.Tests.Lab.Reports;

public sealed class ChartTests
{
    [Fact]
    public void A_bar_is_as_long_as_its_value_and_ours_is_marked()
    {
        var page = Drawings.Check(BarChart.Of("a <title>", [Bar("theirs", 10), Bar("ours", 20) with { IsOurs = true }]));
        var bars = page.Elements().Where(element => $"{element.Attribute("class")?.Value}".StartsWith("bar", StringComparison.Ordinal)).ToArray();

        Assert.Equal("a <title>", page.Attribute("aria-label")!.Value);
        Assert.Equal(["bar", "bar ours"], bars.Select(bar => bar.Attribute("class")!.Value));
        Assert.Equal(2 * Width(bars[0]), Width(bars[1]), 0.2);
    }

    [Fact]
    public void Bars_that_differ_too_much_are_drawn_by_their_logarithms_and_say_so()
    {
        var page = Drawings.Check(BarChart.Of("title", [Bar("short", 1), Bar("middle", 1_000), Bar("long", 1_000_000)]));
        var widths = page.Elements().Where(element => element.Attribute("class")?.Value == "bar").Select(Width).ToArray();

        Assert.Equal(widths[2] - widths[1], widths[1] - widths[0], 0.2);
        Assert.Contains(page.Elements(), element => element.Value == "Lengths are logarithms.");
    }

    [Fact]
    public void A_line_goes_through_its_points_decade_by_decade()
    {
        var page = Drawings.Check(LineChart.Of("title", "load", [new("one", [(10, 1), (100, 10), (1_000, 100)]), new("two", [(10, 1), (1_000, 1)])]));
        var paths = page.Elements().Where(element => element.Attribute("class")?.Value == "line e").Select(element => element.Attribute("d")!.Value).ToArray();
        double[][] points = [.. paths[0].TrimStart('M').Split('L').Select(point => point.Split(' ').Select(number => double.Parse(number, CultureInfo.InvariantCulture)).ToArray())];

        Assert.Equal(points[1][0] - points[0][0], points[2][0] - points[1][0], 0.2);
        Assert.Equal(points[0][1] - points[1][1], points[1][1] - points[2][1], 0.2);
        Assert.True(points[0][1] > points[2][1]);
        Assert.Contains(page.Elements(), element => element.Value == "two");
    }

    [Theory]
    [InlineData(0.0000261, "26.1 µs")]
    [InlineData(0.0204, "20.4 ms")]
    [InlineData(5.73, "5.73 s")]
    public void Times_are_written_in_the_unit_that_suits_them(double seconds, string written) => Assert.Equal(written, Number.Seconds(seconds));

    private static double Width(System.Xml.Linq.XElement bar) => double.Parse(bar.Attribute("width")!.Value, CultureInfo.InvariantCulture);

    [Theory]
    [InlineData(false, "0.25, steady")]
    [InlineData(true, "250 ms, steady")]
    public void What_one_process_has_measured_another_can_draw(bool isTime, string label)
    {
        var bar = Bar("ours", 0.25) with { IsOurs = true, IsTime = isTime, Note = "steady" };

        var received = JsonSerializer.Deserialize<Bar>(JsonSerializer.Serialize(bar))!;

        Assert.Equal(bar, received);
        Assert.Equal(label, received.Label);
    }

    private static Bar Bar(string name, double value) => new("group", name, new(value, value, value));
}
