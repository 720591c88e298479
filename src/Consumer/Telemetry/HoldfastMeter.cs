using System.Diagnostics;
using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>The one meter. Counters and gauges read what the engine counts anyway, and so are there from the start; histograms are recorded into.</summary>
internal sealed class HoldfastMeter : IDisposable
{
    // From a fast loopback answer to a handler that takes an hour, three steps to each factor of ten.
    private static readonly double[] s_seconds =
        [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600];

    private static readonly MissReason[] s_reasons = Enum.GetValues<MissReason>();
    private static readonly Renewal[] s_renewals = Enum.GetValues<Renewal>();
    private static readonly SettlementKind[] s_settlements = Enum.GetValues<SettlementKind>();
    private static readonly Lane[] s_lanes = Enum.GetValues<Lane>();

    private static readonly HoldReason[] s_holdReasons = Enum.GetValues<HoldReason>();
    private static readonly string[] s_priorities = [.. Enumerable.Range(0, 10).Select(priority => $"{priority}"), "higher"];
    private static readonly double s_processStart = new DateTimeOffset(Process.GetCurrentProcess().StartTime).ToUnixTimeMilliseconds() / 1000.0;

    private readonly Meter _meter = new(Names.Meter);
    private long _drainTimeouts;

    public HoldfastMeter()
    {
        Margin = Seconds(Names.LeaseMargin, "Trust left in a lease when its renewal came back: the leading indicator of a miss.");
        Lateness = Seconds(Names.LeaseLateness, "How late a renewal was sent.");
        Latency = Seconds(Names.MessageLatency, "From a message's enqueueing to its settlement, by the broker's clock at the one end and ours at the other.");
        Handler = Seconds(Names.HandlerDuration, "How long a message's handler took, retries included.");
        LaneWait = Seconds(Names.LaneWait, "How long work waited in its lane for a thread.");
        LaneTurn = Seconds(Names.LaneTurn, "How long a turn held its thread.");
    }

    public Histogram<double> Margin { get; }

    public Histogram<double> Lateness { get; }

    public Histogram<double> Latency { get; }

    public Histogram<double> Handler { get; }

    public Histogram<double> LaneWait { get; }

    public Histogram<double> LaneTurn { get; }

    /// <summary>The time to drain was over, and handlers still ran.</summary>
    public void DrainTimedOut() => Interlocked.Increment(ref _drainTimeouts);

    /// <summary>Shows what the queues count. Read at each scrape, on its thread.</summary>
    public void Show(IReadOnlyList<QueueRun> queues)
    {
        _meter.CreateObservableCounter(Names.LeaseMisses, () => Of(queues, s_reasons, Names.Reason, Names.Of, (q, reason) => q.Meter.Misses(reason)),
            "{miss}", "Leases lost while their message was still wanted.");
        _meter.CreateObservableCounter(Names.LeaseRenewals, () => Of(queues, s_renewals, Names.Outcome, Names.Of, (q, outcome) => q.Meter.Renewals(outcome)),
            "{renewal}", "Renewals that came back, or failed.");
        _meter.CreateObservableCounter(Names.MessagesReceived, () => Of(queues, q => q.Meter.Received),
            "{message}", "Messages taken from the broker.");
        _meter.CreateObservableCounter(Names.MessagesSettled, () => Of(queues, s_settlements, Names.Outcome, Names.Of, (q, outcome) => q.Meter.Settled(outcome)),
            "{message}", "Messages settled with the broker.");
        _meter.CreateObservableUpDownCounter(Names.LeasesHeld, () => Of(queues, q => q.Meter.Held),
            "{lease}", "Leases held right now.");
        _meter.CreateObservableUpDownCounter(Names.SlotsUsed, () => Of(queues, q => q.Admission.Used),
            "{slot}", "Messages in hand right now.");
        _meter.CreateObservableUpDownCounter(Names.SlotsLimit, () => Of(queues, q => q.Admission.Limit),
            "{slot}", "Messages that may be in hand at once, as the machine carries them.");
        _meter.CreateObservableGauge(Names.BrokerConnected, () => Of(queues, q => q.IsConnected ? 1 : 0),
            null, "1 while the queue's broker can be reached.");
        _meter.CreateObservableCounter(Names.HandlerRetries, () => Of(queues, q => q.Meter.Retries),
            "{retry}", "Handlers that failed and were run again at once.");
        _meter.CreateObservableGauge(Names.LeaseLock, () => queues.Select(q => new Measurement<double>(q.LockDuration.TotalSeconds, Tag(q))),
            "s", "How long the broker's lock lasts, as last seen; 0 before the first message.");
        _meter.CreateObservableUpDownCounter(Names.MessagesWaiting, () => queues.SelectMany(Waiting),
            "{message}", "Messages in hand whose handlers have not begun.");
        _meter.CreateObservableGauge(Names.AdmissionHolding, () => Of(queues, s_holdReasons, Names.Reason, Names.Of, (q, reason) => q.Admission.Holding == reason ? 1 : 0),
            null, "1 while nothing more is taken for this reason, although there are slots.");
        _meter.CreateObservableCounter(Names.DrainTimeouts, () => Volatile.Read(ref _drainTimeouts),
            "{drain}", "Stops whose time to drain was over while handlers still ran.");
        _meter.CreateObservableGauge(Names.ProcessStart, () => s_processStart,
            "s", "When this process was started, in seconds since 1970.");
    }

    /// <summary>Shows what the lanes and the machine count.</summary>
    public void Show(LaneScheduler lanes, LaneReporter reporter)
    {
        _meter.CreateObservableUpDownCounter(Names.LaneQueued, () => s_lanes.Select(lane => new Measurement<int>(lanes.Queued(lane), new KeyValuePair<string, object?>(Names.LaneTag, Names.Of(lane)))),
            "{item}", "Items that wait in a lane right now.");
        _meter.CreateObservableUpDownCounter(Names.ThreadsBlocked, () => lanes.ThreadsBlocked,
            "{thread}", "Threads that wait inside a handler instead of burning CPU.");
        _meter.CreateObservableCounter(Names.LongTurns, () => reporter.LongTurns,
            "{turn}", "Turns that held their thread for longer than allowed.");
        _meter.CreateObservableCounter(Names.CpuThrottled, () => CpuThrottling.Total().TotalSeconds,
            "s", "Time that the CPU quota froze this process for.");
    }

    public void Dispose() => _meter.Dispose();

    private Histogram<double> Seconds(string name, string description) =>
        _meter.CreateHistogram(name, "s", description, tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = s_seconds });

    private static IEnumerable<Measurement<long>> Of(IReadOnlyList<QueueRun> queues, Func<QueueRun, long> count) =>
        queues.Select(q => new Measurement<long>(count(q), Tag(q)));

    private static IEnumerable<Measurement<long>> Of<TKind>(IReadOnlyList<QueueRun> queues, TKind[] kinds, string tag, Func<TKind, string> name, Func<QueueRun, TKind, long> count) =>
        from q in queues
        from kind in kinds
        select new Measurement<long>(count(q, kind), Tag(q), new(tag, name(kind)));

    private static Measurement<long>[] Waiting(QueueRun queue)
    {
        Span<int> waiting = stackalloc int[s_priorities.Length];
        queue.Admission.CountUnbegun(waiting);
        var measurements = new Measurement<long>[waiting.Length];
        for (var i = 0; i < measurements.Length; i++)
            measurements[i] = new(waiting[i], Tag(queue), new(Names.Priority, s_priorities[i]));
        return measurements;
    }

    private static KeyValuePair<string, object?> Tag(QueueRun queue) => new(Names.Queue, queue.Queue);
}
