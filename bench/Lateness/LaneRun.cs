using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Bench;

/// <summary>Leases kept by the LeaseKeeper, while handlers run on strands: put together as the engine's host does it.</summary>
internal static class LaneRun
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(2);

    // No jitter and no learning: so that a lease's due time can be told from the trust left when it was renewed.
    private static readonly LeaseOptions s_options = new()
    {
        RenewAfter = Leases.Every / s_lock,
        MinMargin = TimeSpan.FromMilliseconds(250),
        MaxMargin = TimeSpan.FromMilliseconds(250),
    };

    private static readonly TimeSpan s_trustWhenDue = s_lock - s_options.MinMargin - Leases.Every;

    public static Lateness Measure(Manner manner, int renewalBatch, TimeSpan length)
    {
        using var server = new RenewalServer();
        PoolGuard.Prepare(CpuQuota.WorkerThreads, Leases.Count);
        using var client = new RenewalClient(server.Port);
        var roundTrip = RoundTrips.Measure(client, 500);

        using var meter = new HoldfastMeter();
        var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System, new LaneReporter(meter, NullLogger.Instance));
        using var keeper = new LeaseKeeper(lanes, static () => 0);
        var queue = new QueueMeter("bench", meter);
        var receiver = new SocketReceiver(client, lanes.Clock, renewalBatch);
        var answered = new ConcurrentQueue<TimeSpan>();
        using var listener = Listen(trustLeft => answered.Enqueue(s_trustWhenDue - trustLeft));
        lanes.Add(keeper);

        var leases = Hold(keeper, new LeaseBook(receiver, s_options, queue, NullLogger.Instance), lanes.Clock);
        var handlers = new Handlers(manner);
        for (var i = 0; i < Leases.Count; i++)
        {
            var number = i;
            _ = lanes.NewStrand(0, $"{number}").Run(() => handlers.HandleAsync(number));
        }

        Thread.Sleep(length);
        var end = lanes.Clock.Now;
        lanes.Stop(TimeSpan.Zero);
        var overdue = leases.Where(lease => lease.RenewAt < end).ToArray();
        return new(
            Milliseconds(receiver.Lateness, overdue.Where(lease => lease.Flight is null).Select(lease => end - lease.RenewAt)),
            Milliseconds(answered, overdue.Select(lease => end - lease.RenewAt)),
            roundTrip,
            leases.Count(lease => lease.TrustedUntil > lease.Since + s_lock),
            Enum.GetValues<MissReason>().Sum(queue.Misses));
    }

    private static Lease[] Hold(LeaseKeeper keeper, LeaseBook book, Clock clock)
    {
        var now = clock.Time.GetTimestamp();
        return [.. Enumerable.Range(0, Leases.Count).Select(number =>
        {
            var age = Leases.Every - Leases.FirstDue(number);
            var delivery = new HeldDelivery(number, now - (long)(age.TotalSeconds * clock.Time.TimestampFrequency), s_lock);
            return delivery.Lease = keeper.Hold(book, delivery);
        })];
    }

    private static MeterListener Listen(Action<TimeSpan> trustLeft)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name == Names.LeaseMargin)
                    self.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((_, seconds, _, _) => trustLeft(TimeSpan.FromSeconds(seconds)));
        listener.Start();
        return listener;
    }

    // What was sent together with others before it was due is not late.
    private static Samples Milliseconds(IEnumerable<TimeSpan> seen, IEnumerable<TimeSpan> unfinished) =>
        new(seen.Concat(unfinished).Select(late => Math.Max(0, late.TotalMilliseconds)));
}
