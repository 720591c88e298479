namespace Holdfast.Broker;

/// <summary>A message in our hands, with the broker's receipt for it. Each broker derives its own, to keep the receipt in.</summary>
public abstract class Delivery
{
    public required Message Message { get; init; }

    /// <summary>Whether the message has a name by which it is known when it is delivered again: an id, and not one that was made up for this delivery.</summary>
    public virtual bool IsNamed => Message.Id.Length > 0;

    /// <summary>How often the broker has handed this message out, this time included: 1 at first.</summary>
    public required int DeliveryCount { get; init; }

    /// <summary>Which of the deliveries that count against a limit it is: not those that a dead letter died of.</summary>
    public virtual int Tries => DeliveryCount;

    /// <summary>
    /// Whether we have settled this message before, and the broker hands it out again because it did not hear of it: there is nothing left to do but to complete it.
    /// </summary>
    public bool WasSettled { get; init; }

    /// <summary>Why the message's body, or what is said about it, can't be read, in a sentence; null where it can. No handler sees what can't: it is put aside, as it came.</summary>
    public virtual string? Unreadable => null;

    /// <summary>Why the broker would not keep the message back, in a line for the person on call, where a delay gave it back at once instead; null otherwise.</summary>
    public virtual string? NotDelayed => null;

    /// <summary>When the broker took the message over, by the broker's clock.</summary>
    public required DateTimeOffset EnqueuedAt { get; init; }

    /// <summary>
    /// What tells the message from others under the same id: a number that all of its deliveries have, and most likely no other message, such as when it was
    /// first enqueued. 0 where nothing tells that.
    /// </summary>
    public virtual long Origin => EnqueuedAt.UtcTicks;

    /// <summary>When the delivery reached this process: a <see cref="TimeProvider.GetTimestamp"/> of the broker's TimeProvider.</summary>
    public required long ArrivedAt { get; init; }

    /// <summary>When the broker gave us the lock, or renewed it last, by the same clock, where that was not with the delivery; null where it came with it.</summary>
    public virtual long? LockedAt { get; init; }

    /// <summary>How long the broker keeps the message for us from the moment of delivery or renewal, as the last of them told. Never longer than at first. Any thread.</summary>
    public virtual required TimeSpan LockDuration { get; init; }

    /// <summary>How long the message may be held in all, however often it is renewed; null where the broker sets no such limit.</summary>
    public TimeSpan? HoldLimit { get; init; }

    /// <summary>
    /// A number that is larger for each next delivery of the same message: by the broker's own count, from when it took the message over.
    /// A broker that does not count each delivery has another one.
    /// </summary>
    public virtual long FencingToken => FencingTokenSince(EnqueuedAt.ToUnixTimeMilliseconds());

    /// <summary>
    /// What has become of its lease, where that is known without asking: <see cref="Renewal.Severed"/> or <see cref="Renewal.Lost"/>. Any thread.
    /// </summary>
    public virtual Renewal? Fate => null;

    /// <summary>
    /// Whether its lease can be renewed beside a settlement: while a copy is on its way to where the message is to wait, or be put aside, the original stays ours,
    /// and that may take as long as the broker takes no messages. Any thread.
    /// </summary>
    public virtual bool IsHeldMeanwhile => false;

    /// <summary>Where that is <see cref="Renewal.Severed"/>: what ended that which it lived with, in a sentence; null where it is not known. Any thread.</summary>
    public virtual string? WhySevered => null;

    /// <summary>The session that the message came in; null where the broker or the queue has none.</summary>
    public Session? Session { get; init; }

    /// <summary>By the broker's count of deliveries, from that moment on, in milliseconds.</summary>
    protected long FencingTokenSince(long moment) => (moment * 1000) + DeliveryCount;
}
