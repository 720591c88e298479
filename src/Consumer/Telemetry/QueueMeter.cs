using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What is counted and measured of one queue. Any thread.</summary>
internal sealed class QueueMeter(string queue, HoldfastMeter meter, string system = "unknown")
{
    // A sender's clock may say anything, and one such message must not spoil a mean for good.
    private static readonly TimeSpan s_longestLatency = TimeSpan.FromDays(365);

    private readonly long[] _misses = new long[Enum.GetValues<MissReason>().Length];
    private readonly long[] _renewals = new long[Enum.GetValues<Renewal>().Length];
    private readonly long[] _settled = new long[Enum.GetValues<SettlementKind>().Length];
    private readonly DistributionSeries _lateness = meter.Lateness.Add(HoldfastMeter.Tag(queue));
    private readonly DistributionSeries _margin = meter.Margin.Add(HoldfastMeter.Tag(queue));
    private readonly DistributionSeries _latency = meter.Latency.Add(HoldfastMeter.Tag(queue));
    private readonly DistributionSeries _handler = meter.Handler.Add(HoldfastMeter.Tag(queue));
    private readonly OperationMeter _process = new(meter.Process, meter.Errors, Spans.Tags(system, queue, Names.Process, null));
    private readonly MessageSampling _sampling = new();
    private long _received;
    private long _retries;
    private long _leastMargin = long.MaxValue;
    private int _held;

    public HoldfastMeter OfEngine { get; } = meter;

    public OperationMeter Receiving { get; } = new(meter.Operation, meter.Errors, Spans.Tags(system, queue, Names.Receive, Names.Receive));

    public OperationMeter Settling { get; } = new(meter.Operation, meter.Errors, Spans.Tags(system, queue, Names.Settle, Names.Settle));

    public OperationMeter Renewing { get; } = new(meter.Operation, meter.Errors, Spans.Tags(system, queue, Names.Renew, null));

    public KeyValuePair<string, object?>[] ConsumedTags { get; } = Spans.Tags(system, queue, Names.Receive, null);

    public long Received => Volatile.Read(ref _received);

    public RecentMisses LastMisses { get; } = new();

    public long Retries => Volatile.Read(ref _retries);

    public int Held => Volatile.Read(ref _held);

    /// <summary>The least trust that was left when a renewal came back, since the start.</summary>
    public TimeSpan? LeastMargin => Volatile.Read(ref _leastMargin) is var least && least == long.MaxValue ? null : new TimeSpan(least);

    public long Misses(MissReason reason) => Volatile.Read(ref _misses[(int)reason]);

    public long Renewals(Renewal outcome) => Volatile.Read(ref _renewals[(int)outcome]);

    public long Settled(SettlementKind outcome) => Volatile.Read(ref _settled[(int)outcome]);

    public void Receive(int count) => Interlocked.Add(ref _received, count);

    public void Retry() => Interlocked.Increment(ref _retries);

    public void Hold() => Interlocked.Increment(ref _held);

    public void Release() => Interlocked.Decrement(ref _held);

    public void Miss(MissReason reason) => Interlocked.Increment(ref _misses[(int)reason]);

    /// <summary>A renewal was sent this much after its time. Lease thread.</summary>
    public void Late(TimeSpan lateness, in ActivityContext trace) => _lateness.Record(lateness, in trace);

    /// <summary>A renewal came back with this much trust left. Lease thread.</summary>
    public void Margin(TimeSpan margin, in ActivityContext trace)
    {
        _margin.Record(margin, in trace);
        if (margin.Ticks < _leastMargin)
            Volatile.Write(ref _leastMargin, margin.Ticks);
    }

    /// <summary>A lease's question was answered, or failed, for the first time.</summary>
    public void Answered(Renewal outcome) => Interlocked.Increment(ref _renewals[(int)outcome]);

    public void Settle(SettlementKind outcome) => Interlocked.Increment(ref _settled[(int)outcome]);

    /// <summary>For how many messages the next one is measured; 0 where it is not. Who listens to the instruments is told of each.</summary>
    public int Weight() => OfEngine.TellsOfEach ? 1 : _sampling.Weight();

    /// <summary>Told ten times a second.</summary>
    public void Adapt() => _sampling.Adapt(Received);

    /// <summary>From a message's enqueueing to its settlement.</summary>
    public void Latency(TimeSpan latency, Activity? span, int weight) => _latency.Record(latency < s_longestLatency ? latency : s_longestLatency, span, weight);

    /// <summary>A handler came to its end.</summary>
    public void Handled(TimeSpan duration, Activity? span, int weight)
    {
        _handler.Record(duration, span, weight);
        _process.Done(duration, span, weight);
    }

    /// <summary>A handler failed, or refused its message.</summary>
    public void Failed(string error, TimeSpan duration, Activity? span)
    {
        _handler.Record(duration, span);
        _process.Failed(error, duration, span);
    }
}
