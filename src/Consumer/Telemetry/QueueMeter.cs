using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What is counted and measured of one queue. Any thread.</summary>
internal sealed class QueueMeter(string queue, HoldfastMeter meter)
{
    private readonly long[] _misses = new long[Enum.GetValues<MissReason>().Length];
    private readonly long[] _renewals = new long[Enum.GetValues<Renewal>().Length];
    private readonly long[] _settled = new long[Enum.GetValues<SettlementKind>().Length];
    private readonly TagList _tags = new([new(Names.Queue, queue)]);
    private long _received;
    private long _retries;
    private long _leastMargin = long.MaxValue;
    private int _held;

    public long Received => Volatile.Read(ref _received);

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
    public void Late(TimeSpan lateness) => meter.Lateness.Record(lateness.TotalSeconds, _tags);

    /// <summary>A renewal came back with this much trust left. Lease thread.</summary>
    public void Margin(TimeSpan margin)
    {
        meter.Margin.Record(margin.TotalSeconds, _tags);
        if (margin.Ticks < _leastMargin)
            Volatile.Write(ref _leastMargin, margin.Ticks);
    }

    public void Answered(ReadOnlySpan<Renewal> outcomes)
    {
        foreach (var outcome in outcomes)
            Interlocked.Increment(ref _renewals[(int)outcome]);
    }

    public void Settle(SettlementKind outcome, TimeSpan latency)
    {
        Interlocked.Increment(ref _settled[(int)outcome]);
        meter.Latency.Record(latency.TotalSeconds, _tags);
    }

    public void Handled(TimeSpan duration) => meter.Handler.Record(duration.TotalSeconds, _tags);
}
