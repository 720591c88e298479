namespace Holdfast.Broker.InMemory;

/// <summary>A message as a queue owns it, from its sending until it is completed.</summary>
internal sealed class StoredMessage(Message message, DateTimeOffset enqueuedAt)
{
    // What a message has that was sent without any.
    private static readonly IReadOnlyDictionary<string, object?> s_none = new Message { Id = "" }.Properties;

    public Message Message { get; private set; } = message;

    public DateTimeOffset EnqueuedAt { get; } = enqueuedAt;

    /// <summary>Its place in the queue, which it keeps when it is given back.</summary>
    public long Place { get; set; }

    public int DeliveryCount { get; set; }

    /// <summary>How long it may wait to be received; null where for ever, as dead letters may.</summary>
    public TimeSpan? Life { get; init; }

    /// <summary>The timestamp from which on nobody receives it any more.</summary>
    public long DiesAt { get; private set; } = long.MaxValue;

    /// <summary>The message as it is now: its properties may be a dictionary that its sender still writes to, and nobody could copy it later.</summary>
    public static Message Snapshot(Message message) =>
        ReferenceEquals(message.Properties, s_none) ? message : message.WithProperties(new Dictionary<string, object?>(message.Properties));

    /// <summary>Its life begins, anew after a delay, at that timestamp: when it can be received.</summary>
    public void Live(long from, TimeProvider time) => DiesAt = Life is { } life ? time.After(from, life) : long.MaxValue;

    /// <summary>Writes properties into the message, over those of the same names. Who has the message already keeps it as it was.</summary>
    public void Write(IReadOnlyDictionary<string, object?> properties)
    {
        var all = new Dictionary<string, object?>(Message.Properties);
        foreach (var (name, value) in properties)
            all[name] = value;
        Message = Message.WithProperties(all);
    }
}
