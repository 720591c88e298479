using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Bench;

/// <summary>What a held lease costs the LeaseKeeper, with a million of them.</summary>
internal static class KeeperCase
{
    private const double MostMicroseconds = 1;
    private const double MostBytes = 200;
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_taking = TimeSpan.FromSeconds(13);

    public static Case Case { get; } = new(
        "keeper",
        $"of 1,000,000 held leases each takes less than {MostBytes} bytes, and each renewal less than {MostMicroseconds} microsecond of CPU; the broker answers at once.",
        ["what", "Holdfast"],
        [new("batches of 256", scale => Measure(scale, 256)), new("one by one", scale => Measure(scale, 1))]);

    private static Outcome Measure(Scale scale, int batch)
    {
        var held = scale.Pick(1_000_000, 50_000);
        var clock = new HandClock();
        using var lanes = LaneScheduler.ByHand(clock);
        using var meter = new HoldfastMeter();
        using var keeper = new LeaseKeeper(lanes, new Random(1).NextDouble);
        lanes.Add(keeper);
        var receiver = new YesReceiver(batch);
        using var log = new MessageLog("bench", TimeProvider.System, NullLogger.Instance);
        var tracer = new MessageTracer("bench", "none", meter, NullLogger.Instance);
        var book = new LeaseBook(receiver, new LeaseOptions(), lanes, new QueueMeter("bench", meter), log, tracer);
        var deliveries = Enumerable.Range(0, held).Select(i => BareDelivery.At(s_taking * i / held, s_lock)).ToArray();

        var before = GC.GetTotalMemory(forceFullCollection: true);
        Take(deliveries, clock, lanes, keeper, book);
        var bytes = (GC.GetTotalMemory(forceFullCollection: true) - before) / (double)held;
        var rounds = Interleaved.Run(scale.Pick(1, 1), scale.Pick(9, 2), () => Renew(clock, lanes, receiver));
        GC.KeepAlive(deliveries);

        var cpu = Reading.Median(rounds[0]);
        return new(
            [
                new([$"microseconds of CPU for a renewal, {Name(batch)}", $"{cpu}"], $"less than {MostMicroseconds}", cpu.Value < MostMicroseconds),
                new([$"bytes for a lease, {Name(batch)}", Number.Show(bytes)], $"less than {MostBytes}", bytes < MostBytes),
            ],
            $"{keeper.Held:#,0} leases held at the end");
    }

    private static string Name(int batch) => batch == 1 ? "one by one" : $"batches of {batch}";

    private static void Take(BareDelivery[] deliveries, HandClock clock, LaneScheduler lanes, LeaseKeeper keeper, LeaseBook book)
    {
        foreach (var delivery in deliveries)
        {
            while (clock.GetTimestamp() < delivery.ArrivedAt)
                Step(clock, lanes);
            keeper.Hold(book, delivery);
        }

        Step(clock, lanes);
    }

    // Two seconds of the lease thread's life, a millisecond at a time: that finely it is woken.
    private static double Renew(HandClock clock, LaneScheduler lanes, YesReceiver receiver)
    {
        var renewed = receiver.Renewed;
        var cpu = Environment.CpuUsage.TotalTime;
        for (var i = 0; i < 2_000; i++)
            Step(clock, lanes);
        return (Environment.CpuUsage.TotalTime - cpu).TotalMicroseconds / (receiver.Renewed - renewed);
    }

    private static void Step(HandClock clock, LaneScheduler lanes)
    {
        clock.Advance(s_step);
        lanes.RunUntilIdle();
    }
}
