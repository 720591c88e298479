namespace Holdfast.Broker.InMemory;

/// <summary>A message as a queue owns it, from its sending until it is completed.</summary>
internal sealed class StoredMessage(Message message, DateTimeOffset enqueuedAt)
{
    public Message Message { get; private set; } = message;

    public DateTimeOffset EnqueuedAt { get; } = enqueuedAt;

    /// <summary>Its place in the queue, which it keeps when it is given back.</summary>
    public long Place { get; set; }

    public int DeliveryCount { get; set; }

    /// <summary>Writes properties into the message, over those of the same names. Who has the message already keeps it as it was.</summary>
    public void Write(IReadOnlyDictionary<string, object?> properties)
    {
        var all = new Dictionary<string, object?>(Message.Properties);
        foreach (var (name, value) in properties)
            all[name] = value;
        Message = Message.WithProperties(all);
    }
}
