namespace Holdfast.Broker;

/// <summary>What a sender hands to a broker, and a handler gets to see.</summary>
public sealed class Message
{
    private static readonly Dictionary<string, object?> s_none = [];

    // Looked at once, so that whoever adds weights up takes away what he has added. Beside the priority it takes no room of its own.
    private int _weight;

    /// <summary>The sender's name for the message: a redelivery carries it again.</summary>
    public required string Id { get; init; }

    /// <summary>The payload. Once the message is sent it must not change: the embedded broker keeps it as it is.</summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>Urgency: the higher, the sooner. The embedded broker and RabbitMQ know 0 to 9 and beyond; 0 is ordinary.</summary>
    public byte Priority { get; init; }

    /// <summary>What the body is, once it is unpacked.</summary>
    public string? ContentType { get; init; }

    /// <summary>
    /// How the body is packed, such as gzip, or what else its sender has to say of how it is written: some give a charset. Null where it says nothing.
    /// The body is handed over as it is: nobody unpacks it but who handles it.
    /// </summary>
    public string? ContentEncoding { get; init; }

    public string? CorrelationId { get; init; }

    /// <summary>What kind of message it is, or what it is about, in a word or two of its sender's: Service Bus calls it subject, RabbitMQ type.</summary>
    public string? Subject { get; init; }

    /// <summary>The queue that an answer is to go to.</summary>
    public string? ReplyTo { get; init; }

    /// <summary>
    /// How long it may wait in its queue to be received, from when it can be. After that the broker puts it aside, or drops it, as the queue is told to.
    /// Null where it may wait for ever.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not above zero.</exception>
    public TimeSpan? TimeToLive
    {
        get;
        init
        {
            if (value is { } life)
                ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(life, TimeSpan.Zero, nameof(TimeToLive));
            field = value;
        }
    }

    /// <summary>The session that it belongs to, where the broker has sessions: its messages are handled one at a time, in the order of their sending.</summary>
    public string? SessionId { get; init; }

    /// <summary>The sender's own properties, trace context among them.</summary>
    public IReadOnlyDictionary<string, object?> Properties { get; init; } = s_none;

    /// <summary>
    /// About how many bytes of memory it takes: its body and its properties, unless who made it knows better. How many messages are held at once is reckoned by it.
    /// </summary>
    public int Weight
    {
        get => _weight > 0 ? _weight : _weight = Footprint.Of(this);
        init => _weight = value;
    }

    /// <summary>The same message with other properties.</summary>
    public Message WithProperties(IReadOnlyDictionary<string, object?> properties) => new()
    {
        Id = Id,
        Body = Body,
        Priority = Priority,
        ContentType = ContentType,
        ContentEncoding = ContentEncoding,
        CorrelationId = CorrelationId,
        Subject = Subject,
        ReplyTo = ReplyTo,
        TimeToLive = TimeToLive,
        SessionId = SessionId,
        Properties = properties,
    };
}
