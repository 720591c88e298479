using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Broker.InMemory;

/// <summary>A delivery that is itself the lease: the queue links it among those it holds for someone.</summary>
internal sealed class InMemoryDelivery : Delivery
{
    [SetsRequiredMembers]
    public InMemoryDelivery(InMemoryReceiver receiver, StoredMessage stored, long now, InMemoryBrokerOptions options)
    {
        Receiver = receiver;
        Stored = stored;
        Message = stored.Message;
        DeliveryCount = stored.DeliveryCount;
        EnqueuedAt = stored.EnqueuedAt;
        ArrivedAt = now;
        LockDuration = options.LockDuration;
        HoldLimit = options.HoldLimit;
    }

    public InMemoryReceiver Receiver { get; }

    public StoredMessage Stored { get; }

    /// <summary>What the broker answers to a renewal: Renewed for as long as it holds the message for us.</summary>
    public Renewal Standing { get; set; } = Renewal.Renewed;

    // That a lock has ended by itself the broker alone knows.
    public override Renewal? Fate => Standing == Renewal.Severed ? Renewal.Severed : null;

    public bool IsHeld => Standing == Renewal.Renewed;

    /// <summary>The timestamp at which the lease lapses.</summary>
    public long Until { get; set; }

    public InMemoryDelivery? Previous { get; set; }

    public InMemoryDelivery? Next { get; set; }
}
