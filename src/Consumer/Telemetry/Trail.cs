using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>What one journey leaves in metrics and traces. On whatever thread runs the journey.</summary>
internal struct Trail(QueueRun queue, Lease lease)
{
    // For how many messages this one is measured; 0 where it is not.
    private readonly int _weight = queue.Meter.Weight();
    private Activity? _process;
    private TimeSpan _begun;

    private readonly Clock Clock => queue.Lanes.Clock;

    /// <summary>The handler is called: what it does runs inside the message's span.</summary>
    public void HandlerBegins()
    {
        _begun = Clock.Now;
        _process = queue.Tracer.Process(lease);
    }

    public readonly void HandlerEnds(int attempts, Exception? failure)
    {
        if (failure is not null)
            queue.Meter.Failed(failure, Clock.Now - _begun, _process);
        else if (_weight > 0)
            queue.Meter.Handled(Clock.Now - _begun, _process, _weight);
        queue.Tracer.Processed(_process, attempts, failure);
    }

    /// <summary>The settlement is sent; what comes back is to be told what became of it.</summary>
    public readonly SettlementTrail Sends(Settlement settlement) => new(queue.Meter, queue.Tracer.Settle(lease, _process, settlement), Clock, _weight);

    /// <summary>The broker has taken it.</summary>
    public readonly void Settled(Settlement settlement)
    {
        queue.Meter.Settle(settlement.Kind);
        if (_weight > 0)
            queue.Meter.Latency(queue.Time.GetUtcNow() - lease.Delivery.EnqueuedAt, _process, _weight);
    }
}
