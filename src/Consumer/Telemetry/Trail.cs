using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What one journey leaves in metrics and traces. On whatever thread runs the journey, which tells whose it is: each message has one, and what it holds costs.</summary>
internal struct Trail(QueueRun queue)
{
    // For how many messages this one is measured; 0 where it is not.
    private readonly int _weight = queue.Meter.Weight();
    private Activity? _process;
    private TimeSpan _begun;

    /// <summary>The trace in which the message was handled; null where none was recorded.</summary>
    public readonly string? Trace => _process is { Recorded: true } recorded ? recorded.TraceId.ToHexString() : null;

    /// <summary>The handler is called: what it does runs inside the message's span.</summary>
    public void HandlerBegins(QueueRun queue, Lease lease)
    {
        _begun = queue.Lanes.Clock.Now;
        _process = queue.Tracer.Process(lease);
    }

    /// <summary>The handler has come to its end. That it threw nothing makes a message that it put aside no success.</summary>
    public readonly void HandlerEnds(QueueRun queue, int attempts, Exception? failure, Settlement said)
    {
        var error = failure is not null ? queue.Meter.OfEngine.Errors.Of(failure)
            : said.Kind == SettlementKind.DeadLetter ? queue.Meter.OfEngine.Errors.Of(said.Reason)
            : null;
        if (error is not null)
            queue.Meter.Failed(error, queue.Lanes.Clock.Now - _begun, _process);
        else if (_weight > 0)
            queue.Meter.Handled(queue.Lanes.Clock.Now - _begun, _process, _weight);
        queue.Tracer.Processed(_process, attempts, error, failure, said);
    }

    /// <summary>The settlement is sent; what comes back is to be told what became of it.</summary>
    public readonly SettlementTrail Sends(QueueRun queue, Lease lease, Settlement settlement) =>
        new(queue.Meter, queue.Tracer.Settle(lease, _process, settlement), queue.Lanes.Clock, _weight);

    /// <summary>The broker has taken it.</summary>
    public readonly void Settled(QueueRun queue, Lease lease, Settlement settlement)
    {
        queue.Meter.Settle(settlement.Kind);
        if (_weight > 0)
            queue.Meter.Latency(queue.Time.GetUtcNow() - lease.Delivery.EnqueuedAt, _process, _weight);
    }
}
