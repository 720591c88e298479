using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>What all leases of one queue have in common: where to renew them, on which terms, and who counts. Lease thread only, but for what says otherwise.</summary>
internal sealed class LeaseBook(IReceiver receiver, LeaseOptions options, LaneScheduler lanes, QueueMeter meter, MessageLog log, MessageTracer tracer)
{
    private const double LittleTrust = 0.125;
    private const int MostSpare = 16;

    private readonly Margin _margin = new(options);
    private readonly Stack<RenewalBatch> _spare = new();
    private RenewalBatch? _open;
    private volatile string? _trouble;
    private long _strainedUntil;
    private long _lockDuration;

    /// <summary>Any thread.</summary>
    public IReceiver Receiver { get; } = receiver;

    /// <summary>Any thread.</summary>
    public LaneScheduler Lanes { get; } = lanes;

    /// <summary>Any thread.</summary>
    public QueueMeter Meter { get; } = meter;

    /// <summary>How long a lock lasts, as last seen; zero before the first. Any thread.</summary>
    public TimeSpan LockDuration
    {
        get => new(Volatile.Read(ref _lockDuration));
        private set => Volatile.Write(ref _lockDuration, value.Ticks);
    }

    /// <summary>Why the last renewal failed, where none has succeeded since. Any thread.</summary>
    public string? Trouble => _trouble is { } trouble ? $"The last renewal failed: {trouble}" : null;

    public bool HasOpenBatch => _open is not null;

    /// <summary>How long before its due time a lease may join the open batch; none where a request carries one only.</summary>
    public TimeSpan Coalescing => _open is { IsFull: false } open ? Terms(open[0].Delivery.LockDuration).Coalescing : TimeSpan.Zero;

    /// <summary>
    /// Whether the last renewals failed, or came back with little trust left: no time to take more messages. It passes by itself:
    /// the next renewal may be long in coming, and those whose renewal failed may have ended by then. Any thread.
    /// </summary>
    public bool IsStrained(TimeSpan now) => now < StrainedUntil && Meter.Held > 0;

    private TimeSpan Strain => Terms(LockDuration).Strain;

    private TimeSpan StrainedUntil
    {
        get => new(Volatile.Read(ref _strainedUntil));
        set => Volatile.Write(ref _strainedUntil, value.Ticks);
    }

    /// <summary>The terms of a lease asked for now. Any thread.</summary>
    public LeaseTerms Terms(TimeSpan lockDuration) => new(lockDuration, _margin.Current, options.RenewAfter);

    /// <summary>A lease is held. Any thread.</summary>
    public void Hold(Lease lease)
    {
        LockDuration = lease.Delivery.LockDuration;
        Meter.Hold();
    }

    /// <summary>Adds a lease to the open batch, and returns that.</summary>
    public RenewalBatch Add(Lease lease)
    {
        _open ??= _spare.TryPop(out var spare) ? spare : new RenewalBatch(this, Math.Max(1, Receiver.RenewalBatch));
        _open.Add(lease);
        return _open;
    }

    public RenewalBatch CloseBatch()
    {
        var batch = _open!;
        _open = null;
        return batch;
    }

    public void Return(RenewalBatch batch)
    {
        // A standstill has a request on its way for each try; no more are kept than a busy queue needs.
        batch.Clear();
        if (_spare.Count < MostSpare && !batch.IsCalledOff)
            _spare.Push(batch);
        else
            batch.Dispose();
    }

    /// <summary>Gives up a request that is not answered, and that nobody waits for any more.</summary>
    public void CallOff(RenewalBatch batch) => batch.CallOff(elsewhere: callOff => Lanes.TellInTurn(callOff));

    /// <summary>A renewal came back, this long after it was due.</summary>
    public void Renewed(Lease lease, TimeSpan delay, TimeSpan now)
    {
        var trustLeft = lease.TrustedUntil - now;
        if (!lease.IsAnswered)
            Meter.Margin(trustLeft, lease.KnownTrace);
        _margin.Learn(delay);
        StrainedUntil = trustLeft < lease.Delivery.LockDuration * LittleTrust ? now + Strain : TimeSpan.Zero;
        _trouble = null;
    }

    public void Answered(RenewalBatch batch, TimeSpan now)
    {
        if (batch.Problem is { } problem)
            Meter.Renewing.Failed(problem, now - batch.AskedAt);
        else
            Meter.Renewing.Done(now - batch.AskedAt, batch.FirstTrace);

        // Leases that ended with their connection are told of one by one, as misses. Where all were settled meanwhile, as at a stop, nobody asks again, and nothing is in danger.
        if (batch.Failure is { } failure && !batch.IsSettled)
            Failed(batch.Count, ErrorText.Of(failure));

        if (Spans.AreListenedTo && batch.Traces() is { Length: > 0 } traces)
            Trace(batch, traces, now);
    }

    // Whoever listens may take his time, and the lease thread has none: so the span is made elsewhere, once all is over.
    private void Trace(RenewalBatch batch, ActivityContext[] traces, TimeSpan now)
    {
        var (count, took, problem) = (batch.Count, now - batch.AskedAt, batch.Problem);
        Lanes.TellInTurn(() =>
        {
            var end = Lanes.Clock.Time.GetUtcNow() - (Lanes.Clock.Now - now);
            tracer.Renewed(traces, count, end - took, end, problem);
        });
    }

    /// <summary>A renewal has not been answered in time. Told once, not at each try: what follows is the same trouble.</summary>
    public void Unanswered(int count)
    {
        if (NoteStrain())
            return;
        _trouble = MessageLog.NoAnswer;
        Lanes.TellInTurn(() => log.RenewalUnanswered(count));
    }

    /// <summary>A renewal failed. Told once, too; but also where all that was known until now is that no answer came.</summary>
    public void Failed(int count, string problem)
    {
        var isTold = NoteStrain() && _trouble is not (null or MessageLog.NoAnswer);
        _trouble = problem;
        if (!isTold)
            Lanes.TellInTurn(() => log.RenewalFailed(count, problem));
    }

    /// <summary>A lease was lost while its message was still wanted. Any thread.</summary>
    public void Miss(Lease lease, MissReason reason, bool isSettled)
    {
        Meter.Miss(reason);
        var held = Lanes.Clock.Now - lease.Since;
        Lanes.TellInTurn(() =>
        {
            if (!isSettled)
                Receiver.LetGo(lease.Delivery);
            var delivery = lease.Delivery;
            LeaseMiss miss = new(Lanes.Clock.Time.GetUtcNow(), Receiver.Queue, delivery.Message.Id, delivery.DeliveryCount, Names.Of(reason), held, TraceOf(lease));
            Meter.LastMisses.Add(miss);
            log.Missed(miss, lease.Delivery.WhySevered);
        });
    }

    // Returns whether there was some before this.
    private bool NoteStrain()
    {
        var now = Lanes.Clock.Now;
        var wasStrained = now < StrainedUntil;
        StrainedUntil = now + Strain;
        return wasStrained;
    }

    private static string? TraceOf(Lease lease) => lease.Trace.TraceId is var id && id != default ? id.ToHexString() : null;
}
