using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Bench;

/// <summary>Leases kept by the LeaseKeeper, while handlers run on strands: put together as the engine's host does it.</summary>
internal static class LaneRun
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(2);
    private static readonly LeaseOptions s_options = new() { RenewAfter = Leases.Every / s_lock };

    public static Lateness Measure(Manner manner, int renewalBatch, TimeSpan length)
    {
        using var server = new RenewalServer();
        PoolGuard.Prepare();
        using var client = new RenewalClient(server.Port);
        var roundTrip = RoundTrips.Measure(client, 500);

        using var meter = new HoldfastMeter();
        using var reporter = new LaneReporter(meter, TimeProvider.System, NullLogger.Instance);
        var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System, reporter);

        // No jitter: each is due just so long after it was last asked for.
        using var keeper = new LeaseKeeper(lanes, static () => 0);
        var queue = new QueueMeter("bench", meter);
        using var log = new MessageLog("bench", TimeProvider.System, NullLogger.Instance);
        var tracer = new MessageTracer("bench", "none", meter, NullLogger.Instance);
        var book = new LeaseBook(new SocketReceiver(client, lanes.Clock, renewalBatch), s_options, lanes, queue, log, tracer);
        var deliveries = Deliveries(lanes.Clock);
        lanes.Add(keeper);
        lanes.Add(new PoolGuard(TimeProvider.System, CpuQuota.WorkerThreads, Leases.Count));
        lanes.Add(new Witness(deliveries, lanes.Clock));
        foreach (var delivery in deliveries)
            delivery.HeldBy(keeper.Hold(book, delivery));

        var handlers = new Handlers(manner);
        for (var i = 0; i < Leases.Count; i++)
        {
            var number = i;
            _ = lanes.NewStrand(0, $"{number}").Run(() => handlers.HandleAsync(number));
        }

        Thread.Sleep(length);
        var end = lanes.Clock.Now;
        lanes.Stop(TimeSpan.Zero);
        return Lateness.Of([.. deliveries.Select(delivery => delivery.Log)], end, roundTrip, Enum.GetValues<MissReason>().Sum(queue.Misses));
    }

    // As if they had arrived one after the other, just before.
    private static HeldDelivery[] Deliveries(Clock clock)
    {
        var start = clock.Now;
        return [.. Enumerable.Range(0, Leases.Count).Select(number =>
            new HeldDelivery(number, start + Leases.FirstDue(number) - Leases.Every, s_lock, clock.Time))];
    }
}
