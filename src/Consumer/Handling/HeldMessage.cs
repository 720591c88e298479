using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>A message while it is held: what a handler sees.</summary>
public sealed class HeldMessage
{
    private readonly Lease _lease;
    private readonly Clock _clock;

    internal HeldMessage(string queue, Lease lease, Clock clock)
    {
        Queue = queue;
        _lease = lease;
        _clock = clock;
    }

    public string Queue { get; }

    public string Id => Message.Id;

    public ReadOnlyMemory<byte> Body => Message.Body;

    public Message Message => _lease.Delivery.Message;

    public DateTimeOffset EnqueuedAt => _lease.Delivery.EnqueuedAt;

    /// <summary>How often the broker has handed this message out: 1 at first.</summary>
    public int DeliveryCount => _lease.Delivery.DeliveryCount;

    /// <summary>Which try at this delivery it is: 1 at first.</summary>
    public int Attempt { get; internal set; } = 1;

    /// <summary>How long the lease would still be trusted if it were never renewed again; zero once it is lost. It is renewed for as long as the handler runs.</summary>
    public TimeSpan LeaseRemaining => _lease.Remaining(_clock.Now);
}
