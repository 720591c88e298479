namespace Holdfast.Broker.InMemory;

/// <summary>A message as a queue owns it, from its sending until it is completed.</summary>
internal sealed class StoredMessage(Message message, DateTimeOffset enqueuedAt)
{
    public Message Message { get; } = message;

    public DateTimeOffset EnqueuedAt { get; } = enqueuedAt;

    /// <summary>Its place in the queue, which it keeps when it is given back.</summary>
    public long Place { get; set; }

    public int DeliveryCount { get; set; }
}
