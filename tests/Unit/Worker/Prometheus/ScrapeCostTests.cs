using Holdfast.Worker.Prometheus;
using OpenTelemetry.Metrics;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class ScrapeCostTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Ten_thousand_series_are_written_with_hardly_any_allocation(bool isOpen)
    {
        using var exporting = new Exporting(b => b.AddView(_ => new MetricStreamConfiguration { CardinalityLimit = 20_000 }));
        var counter = exporting.Meter.CreateCounter<long>("settled");
        for (var i = 0; i < 10_000; i++)
            counter.Add(i, new("queue", $"queue-{i}"), new("outcome", "complete"));
        var format = isOpen ? ExpositionFormat.OpenMetrics : ExpositionFormat.Text;
        var text = new Utf8Text();

        Assert.InRange(Allocated.By(Write), 0, 16 * 1024);

        void Write()
        {
            text.CutTo(0);
            exporting.Exporter.Write(text, format);
        }
    }
}
