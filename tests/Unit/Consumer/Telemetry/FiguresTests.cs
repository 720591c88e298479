using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What is measured of messages, in an exporter's eyes.</summary>
public sealed class FiguresTests : IDisposable
{
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void How_long_handlers_took_is_measured_however_they_end(bool fail)
    {
        var hand = Start(seconds: 2.5, fail);

        hand.Send("a", "b");
        hand.Run(3);

        Assert.Equal((2, 5.0), Measured(hand.Meter.Handler));
        Assert.Equal((2, 5.0), Measured(hand.Meter.Process));
    }

    [Theory]
    [InlineData("holdfast.message.latency")]
    [InlineData("holdfast.handler.duration")]
    [InlineData("messaging.process.duration")]
    [InlineData("messaging.client.operation.duration")]
    public void Whoever_listens_to_what_is_told_of_messages_hears_of_each(string instrument)
    {
        using var meter = new HoldfastMeter();
        var queue = new QueueMeter("orders", meter);
        using var listener = new MeterListener();
        listener.InstrumentPublished = (published, mine) =>
        {
            if (published.Name == instrument)
                mine.EnableMeasurementEvents(published);
        };
        listener.Start();

        Assert.All(Enumerable.Range(0, 100_000), _ => Assert.Equal(1, queue.Weight()));
    }

    [Fact]
    public void From_its_enqueueing_to_its_settlement_a_message_is_measured_with_its_wait()
    {
        var hand = Start(seconds: 2, fail: false);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(1));

        hand.Send("a", "b", "c", "d", "e");
        hand.Run(10);

        // The fifth waits for a slot.
        Assert.Equal((5, 4 * 3.0 + 6.0), Measured(hand.Meter.Latency));
    }

    [Fact]
    public void What_the_broker_is_asked_is_measured_for_as_long_as_it_takes()
    {
        var hand = Start(seconds: 8, fail: false);
        hand.Faults.Renewals.Slow(TimeSpan.FromSeconds(1));
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(0.5));

        hand.Send("a");
        hand.Run(12);

        // It was asked for messages at the start.
        Assert.Equal((1, 10), Measured(hand.Meter.Operation, "receive"));
        Assert.Equal((1, 1), Measured(hand.Meter.Operation, "renew_message_lock"));
        Assert.Equal((1, 0.5), Measured(hand.Meter.Operation, "settle"));
    }

    [Fact]
    public void A_renewal_that_is_sent_late_is_measured_by_how_late_it_is()
    {
        _hand = new EngineByHand(async (_, _) =>
        {
            await _hand!.Sleep(4);
            _hand.Time.Advance(TimeSpan.FromSeconds(2));
            await _hand.Sleep(1);
            return Settlement.Complete;
        });
        _hand.Start().Send("a");
        _hand.Run(8);

        // Due after 4.5 to 5 s.
        var (count, seconds) = Measured(_hand.Meter.Lateness);
        Assert.Equal(1, count);
        Assert.InRange(seconds, 1, 1.5);
    }

    private EngineByHand Start(double seconds, bool fail)
    {
        _hand = new EngineByHand(async (_, _) =>
        {
            await _hand!.Sleep(seconds);
            return fail ? throw new InvalidOperationException("No luck.") : Settlement.Complete;
        });
        _hand.Start().Run(10);
        return _hand;
    }

    private static (long Count, double Seconds) Measured(Distribution distribution, string? operation = null)
    {
        var counts = new long[distribution.Bounds.Count + 1];
        var seconds = distribution.Series
            .Where(series => operation is null || series.Tags.Any(tag => operation.Equals(tag.Value)))
            .Sum(series => series.Read(counts));
        return (counts.Sum(), Math.Round(seconds, 3));
    }
}
