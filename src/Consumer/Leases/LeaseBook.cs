using Holdfast.Broker;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>What all leases of one queue have in common: where to renew them, on which terms, and who counts.</summary>
internal sealed class LeaseBook(IReceiver receiver, LeaseOptions options, QueueMeter meter, ILogger log)
{
    private const double LittleTrust = 0.125;

    private readonly Margin _margin = new(options);
    private readonly Stack<RenewalBatch> _spare = new();
    private bool _isStrained;

    public IReceiver Receiver { get; } = receiver;

    public QueueMeter Meter { get; } = meter;

    /// <summary>The batch that is being filled. Lease thread only.</summary>
    public RenewalBatch? Open { get; set; }

    /// <summary>Whether the last renewals failed, or came back with little trust left: no time to take more messages. Written on the lease thread.</summary>
    public bool IsStrained => Volatile.Read(ref _isStrained) && Meter.Held > 0;

    public LeaseTerms Terms(TimeSpan lockDuration) => new(lockDuration, _margin.Current, options.RenewAfter);

    /// <summary>A renewal came back, this long after it should have been sent, with this much trust left. Lease thread only.</summary>
    public void Renewed(TimeSpan delay, TimeSpan trustLeft, TimeSpan lockDuration)
    {
        Meter.Margin(trustLeft);
        _margin.Learn(delay);
        Volatile.Write(ref _isStrained, trustLeft < lockDuration * LittleTrust);
    }

    public void Miss(Lease lease, MissReason reason, TimeSpan held)
    {
        Meter.Miss(reason);
        log.Missed(Names.Of(reason), lease.Delivery.Message.Id, Receiver.Queue, held.TotalSeconds);
    }

    public void Answered(ReadOnlySpan<Renewal> outcomes, Exception? failure)
    {
        Meter.Answered(outcomes);
        if (failure is not null)
            Failed(outcomes.Length, failure.Message);
    }

    /// <summary>A renewal failed, or has not been answered in time.</summary>
    public void Failed(int count, string problem)
    {
        Volatile.Write(ref _isStrained, true);
        log.RenewalFailed(count, Receiver.Queue, problem);
    }

    public RenewalBatch NewBatch() => _spare.TryPop(out var batch) ? batch : new RenewalBatch(this, Math.Max(1, Receiver.RenewalBatch));

    public void Return(RenewalBatch batch) => _spare.Push(batch);
}
