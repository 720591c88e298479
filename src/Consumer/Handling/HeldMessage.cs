using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>A message while it is held: what a handler sees.</summary>
public sealed class HeldMessage
{
    internal HeldMessage(string queue, Delivery delivery)
    {
        Queue = queue;
        Delivery = delivery;
    }

    public string Queue { get; }

    public string Id => Delivery.Message.Id;

    public ReadOnlyMemory<byte> Body => Delivery.Message.Body;

    public Message Message => Delivery.Message;

    public DateTimeOffset EnqueuedAt => Delivery.EnqueuedAt;

    /// <summary>How often the broker has handed this message out: 1 at first.</summary>
    public int DeliveryCount => Delivery.DeliveryCount;

    /// <summary>Which try at this delivery it is: 1 at first.</summary>
    public int Attempt { get; internal set; } = 1;

    /// <summary>How long the lease would still be trusted if it were never renewed again; zero once it is lost.</summary>
    public TimeSpan LeaseRemaining => Delivery.LockDuration;

    internal Delivery Delivery { get; }
}
