using System.Diagnostics.Metrics;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LaneReporterTests : IDisposable
{
    private readonly HoldfastMeter _meter = new(new Distributions(TimeProvider.System) { IsRead = true });
    private readonly LaneReporter _reporter;

    public LaneReporterTests() => _reporter = new LaneReporter(_meter, TimeProvider.System, NullLogger.Instance);

    public void Dispose()
    {
        _reporter.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public void A_wait_and_a_turn_count_for_as_many_as_they_stand_for()
    {
        _reporter.Waited(Lane.Process, TimeSpan.FromSeconds(2), weight: 64);
        _reporter.Ran(Lane.Process, TimeSpan.FromSeconds(3), weight: 128);

        Assert.Equal((64, 64 * 2.0), Measured(_meter.LaneWait[(int)Lane.Process]));
        Assert.Equal((128, 128 * 3.0), Measured(_meter.LaneTurn[(int)Lane.Process]));
    }

    [Theory]
    [InlineData("holdfast.lane.wait", true)]
    [InlineData("holdfast.lane.turn", true)]
    [InlineData("holdfast.message.latency", false)]
    public void Whoever_listens_to_waits_or_turns_must_hear_of_each(string instrument, bool isTold)
    {
        Assert.False(_reporter.WantsEach);
        using var listener = new MeterListener();
        listener.InstrumentPublished = (published, mine) =>
        {
            if (published.Name == instrument)
                mine.EnableMeasurementEvents(published);
        };
        listener.Start();

        Assert.Equal(isTold, _reporter.WantsEach);
    }

    private static (long Count, double Seconds) Measured(DistributionSeries series)
    {
        var counts = new long[100];
        var seconds = series.Read(counts);
        return (counts.Sum(), seconds);
    }
}
