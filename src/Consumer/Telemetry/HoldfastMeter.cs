using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>The one meter. Counters and gauges read what the engine counts anyway, and distributions are its own: so all of it is there from the start.</summary>
internal sealed class HoldfastMeter : IDisposable
{
    private const int MostDestinations = 100;

    // From a fast loopback answer to a handler that takes an hour. A quantile is no finer than the step that it falls into: so they are short where
    // handlers take their time, up to that of a drain and beyond, and few below a millisecond.
    private static readonly double[] s_seconds =
        [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1800, 3600];

    // A margin is a good part of a lock: there the steps must be fine. What is at most zero came too late.
    private static readonly double[] s_marginSeconds =
        [0, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12.5, 15, 20, 25, 30, 45, 60, 90, 150, 300, 900, 1800, 3600];

    private static readonly MissReason[] s_reasons = Enum.GetValues<MissReason>();
    private static readonly Renewal[] s_renewals = Enum.GetValues<Renewal>();
    private static readonly SettlementKind[] s_settlements = Enum.GetValues<SettlementKind>();
    private static readonly Lane[] s_lanes = Enum.GetValues<Lane>();
    private static readonly HoldReason[] s_holdReasons = Enum.GetValues<HoldReason>();
    private static readonly string[] s_priorities = [.. Enumerable.Range(0, 10).Select(priority => $"{priority}"), "higher"];
    private static readonly double s_processStart = new DateTimeOffset(System.Diagnostics.Process.GetCurrentProcess().StartTime).ToUnixTimeMilliseconds() / 1000.0;

    private readonly Meter _meter = new(Names.Meter);
    private readonly Distributions _distributions;
    private readonly Distribution _laneWait;
    private readonly Distribution _laneTurn;

    // Lazy, for what it adds to the distributions stays, and two threads may both find that there is none.
    private readonly ConcurrentDictionary<string, Lazy<SendMeter>> _sends = new(StringComparer.Ordinal);
    private long _drainTimeouts;

    public HoldfastMeter(Distributions? distributions = null)
    {
        _distributions = distributions ?? new(TimeProvider.System);
        Margin = Seconds(Names.LeaseMargin, "Trust left in a lease when its renewal came back: the leading indicator of a miss.", s_marginSeconds);
        Lateness = Seconds(Names.LeaseLateness, "How late a renewal was sent.");
        Latency = Seconds(Names.MessageLatency, "From a message's enqueueing to its settlement, by the clock of the broker, or of the sender where the broker does not say, at the one end, and ours at the other.");
        Handler = Seconds(Names.HandlerDuration, "How long a message's handler took, retries included.");
        Process = Seconds(Names.ProcessDuration, "How long a message's handler took, retries included, by OpenTelemetry's name for it.");
        Operation = Seconds(Names.OperationDuration, "How long the broker took for what it was asked; a receive waits for the first message.");
        _laneWait = Seconds(Names.LaneWait, "How long work waited in its lane for a thread.");
        _laneTurn = Seconds(Names.LaneTurn, "How long a turn held its thread.");
        LaneWait = [.. s_lanes.Select(lane => _laneWait.Add(Tag(lane)))];
        LaneTurn = [.. s_lanes.Select(lane => _laneTurn.Add(Tag(lane)))];
        _meter.CreateObservableCounter(Names.SentMessages, () => _sends.Values.SelectMany(sends => sends.Value.Sent()),
            "{message}", "Messages that were handed to the broker, or refused by it.");
    }

    public Distribution Margin { get; }

    public Distribution Lateness { get; }

    public Distribution Latency { get; }

    public Distribution Handler { get; }

    public Distribution Process { get; }

    public Distribution Operation { get; }

    /// <summary>By lane.</summary>
    public DistributionSeries[] LaneWait { get; }

    /// <summary>By lane.</summary>
    public DistributionSeries[] LaneTurn { get; }

    public ErrorTypes Errors { get; } = new();

    /// <summary>Whether somebody listens to an instrument that is told of messages: who counts what he hears must hear of each.</summary>
    public bool TellsOfEach => Latency.IsListenedTo || Handler.IsListenedTo || Process.IsListenedTo || Operation.IsListenedTo;

    /// <summary>The same of the lanes' waits and turns.</summary>
    public bool TellsOfEachTurn => _laneWait.IsListenedTo || _laneTurn.IsListenedTo;

    /// <summary>How many stops ended before the handlers did.</summary>
    public long DrainTimeouts => Volatile.Read(ref _drainTimeouts);

    /// <summary>Somebody listens to metrics or spans, and has thrown: told once. Must not wait.</summary>
    public Action<Exception>? ListenerFailed
    {
        set => _distributions.ListenerFailed = value;
    }

    /// <summary>What is counted of sending to a queue. Who sends to many has their names; the rest share one.</summary>
    public SendMeter Sends(string system, string queue)
    {
        var name = _sends.ContainsKey(queue) || _sends.Count < MostDestinations ? queue : ErrorTypes.Other;
        return _sends.GetOrAdd(name, _ => new(() => new SendMeter(this, system, name))).Value;
    }

    /// <summary>The time to drain was over, and handlers still ran.</summary>
    public void DrainTimedOut() => Interlocked.Increment(ref _drainTimeouts);

    public void NoteListenerFailed(Exception problem) => _distributions.NoteListenerFailed(problem);

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
        _meter.CreateObservableCounter(Names.ConsumedMessages, () => queues.Select(q => new Measurement<long>(q.Meter.Received, q.Meter.ConsumedTags)),
            "{message}", "Messages taken from the broker, by OpenTelemetry's name for it.");
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
        _meter.CreateObservableCounter(Names.DrainTimeouts, () => DrainTimeouts,
            "{drain}", "Stops whose time to drain was over while handlers still ran.");
        _meter.CreateObservableGauge(Names.ProcessStart, () => s_processStart,
            "s", "When this process was started, in seconds since 1970.");
    }

    /// <summary>Shows what the lanes and the machine count.</summary>
    public void Show(LaneScheduler lanes, LaneReporter reporter)
    {
        _meter.CreateObservableUpDownCounter(Names.LaneQueued, () => s_lanes.Select(lane => new Measurement<int>(lanes.Queued(lane), Tag(lane))),
            "{item}", "Items that wait in a lane right now.");
        _meter.CreateObservableUpDownCounter(Names.ThreadsBlocked, () => lanes.ThreadsBlocked,
            "{thread}", "Threads that wait inside a handler instead of burning CPU.");
        _meter.CreateObservableUpDownCounter(Names.ThreadsSpare, () => lanes.MaxSpareThreads,
            "{thread}", "Threads that may stand in for blocked ones.");
        _meter.CreateObservableCounter(Names.LongTurns, () => s_lanes.Select(lane => new Measurement<long>(reporter.LongTurns(lane), Tag(lane))),
            "{turn}", "Turns that held their thread for longer than allowed.");
        _meter.CreateObservableCounter(Names.CpuThrottled, () => CpuThrottling.Total().TotalSeconds,
            "s", "Time that the CPU quota froze this process for.");
    }

    public static KeyValuePair<string, object?> Tag(string queue) => new(Names.Queue, queue);

    public void Dispose() => _meter.Dispose();

    private Distribution Seconds(string name, string description, double[]? bounds = null) =>
        _distributions.Add(
            _meter.CreateHistogram(name, "s", description, tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = bounds ?? s_seconds }),
            bounds ?? s_seconds);

    private static IEnumerable<Measurement<long>> Of(IReadOnlyList<QueueRun> queues, Func<QueueRun, long> count) =>
        queues.Select(q => new Measurement<long>(count(q), Tag(q)));

    private static IEnumerable<Measurement<long>> Of<TKind>(IReadOnlyList<QueueRun> queues, TKind[] kinds, string tag, Func<TKind, string> name, Func<QueueRun, TKind, long> count) =>
        from q in queues
        from kind in kinds
        select new Measurement<long>(count(q, kind), Tag(q), new(tag, name(kind)));

    private static Measurement<long>[] Waiting(QueueRun queue)
    {
        Span<int> waiting = stackalloc int[s_priorities.Length];
        queue.InHand.CountUnbegun(waiting);
        var measurements = new Measurement<long>[waiting.Length];
        for (var i = 0; i < measurements.Length; i++)
            measurements[i] = new(waiting[i], Tag(queue), new(Names.Priority, s_priorities[i]));
        return measurements;
    }

    private static KeyValuePair<string, object?> Tag(Lane lane) => new(Names.LaneTag, Names.Of(lane));

    private static KeyValuePair<string, object?> Tag(QueueRun queue) => Tag(queue.Queue);
}
