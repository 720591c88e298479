namespace Holdfast.Broker.InMemory;

/// <summary>How the embedded broker treats the messages it owns.</summary>
public sealed class InMemoryBrokerOptions
{
    /// <summary>How long a message is kept for its receiver from delivery or renewal.</summary>
    public TimeSpan LockDuration { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a message may be held in all, however often it is renewed; null sets no such limit.</summary>
    public TimeSpan? HoldLimit { get; set; }

    /// <summary>How often a message is handed out before it becomes a dead letter.</summary>
    public int MaxDeliveries { get; set; } = 10;

    /// <summary>
    /// Whether a lease lives with the connection, as with RabbitMQ: no lock runs out, but a cut loses all that is held.
    /// Otherwise a lock has its time and survives a cut, as with Service Bus.
    /// </summary>
    public bool ConnectionBound { get; set; }

    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(LockDuration, TimeSpan.Zero, nameof(LockDuration));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxDeliveries, 1, nameof(MaxDeliveries));
        if (HoldLimit is { } limit)
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(limit, TimeSpan.Zero, nameof(HoldLimit));
    }
}
