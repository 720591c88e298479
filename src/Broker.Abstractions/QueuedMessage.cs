namespace Holdfast.Broker;

/// <summary>A message as it lies in a queue, for a person to look at. A broker that needs a receipt for it derives its own, to keep that in.</summary>
public class QueuedMessage
{
    public required Message Message { get; init; }

    /// <summary>Why the message's body, or what is said about it, can't be read, in a sentence; null where it can.</summary>
    public string? Unreadable { get; init; }

    /// <summary>Whether it is handed to whoever receives, where the broker tells.</summary>
    public QueuedState State { get; init; }

    /// <summary>When it will be handed to whoever receives, where it waits for its time and the broker tells which.</summary>
    public DateTimeOffset? ScheduledFor { get; init; }

    /// <summary>When the broker took the message over, by the broker's clock, or by its sender's where the broker does not say.</summary>
    public DateTimeOffset? EnqueuedAt { get; init; }

    /// <summary>How often this queue has handed it out so far, where the broker counts that.</summary>
    public int? HandedOut { get; init; }

    /// <summary>For a dead letter: why it is one, in a word.</summary>
    public string? Reason { get; init; }

    /// <summary>For a dead letter: why it is one, for a person.</summary>
    public string? Description { get; init; }

    /// <summary>For a dead letter: since when it is one, where somebody noted that.</summary>
    public DateTimeOffset? PutAsideAt { get; init; }
}
