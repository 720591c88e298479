using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What the server hands over, before anybody has counted it.</summary>
internal readonly record struct Arrival(
    ulong Tag, bool IsRedelivered, string Exchange, string RoutingKey, IReadOnlyBasicProperties Envelope, byte[] Body, long At)
{
    private const int MostOfBody = 256;

    /// <summary>How often it had been delivered when it was last sent on by us.</summary>
    public int EarlierDeliveries => Headers.Count(Envelope.Headers, HeaderNames.EarlierDeliveries) ?? 0;

    /// <summary>What its redeliveries have in common, and no copy of it that was sent on.</summary>
    public MessageKey Key(string id) => new(id, EarlierDeliveries, Headers.Number(Envelope.Headers, ReplayProperties.Replays) ?? 0, DiedAt, Traits);

    /// <summary>
    /// How often the server says that it came back to it since; 0 where it does not count. A failed delivery counts; one that was merely given back
    /// only where nothing else is told.
    /// What comes for the first time may have a count of another queue's: whoever moved it here sent its headers along.
    /// </summary>
    public int ServerCount => !IsRedelivered ? 0
        : Headers.Count(Envelope.Headers, HeaderNames.DeliveryCount) is { } failed and > 0 ? failed
        : Headers.Count(Envelope.Headers, HeaderNames.AcquiredCount) ?? 0;

    /// <summary>How often it came back to its queue since, for whatever reason; 0 where the server does not count.</summary>
    public int Returns =>
        IsRedelivered ? (Headers.Count(Envelope.Headers, HeaderNames.DeliveryCount) ?? 0) + (Headers.Count(Envelope.Headers, HeaderNames.AcquiredCount) ?? 0) : 0;

    // Of a large body its begin will do: it is asked for of each message.
    private int Traits
    {
        get
        {
            var traits = new HashCode();
            traits.Add(Exchange, StringComparer.Ordinal);
            traits.Add(RoutingKey, StringComparer.Ordinal);
            traits.Add(Envelope.Type, StringComparer.Ordinal);
            traits.Add(Envelope.CorrelationId, StringComparer.Ordinal);
            traits.Add(RabbitMq.Envelope.SentAt(Envelope));
            traits.Add(Body.Length);
            traits.AddBytes(Body.AsSpan(0, Math.Min(Body.Length, MostOfBody)));
            return traits.ToHashCode();
        }
    }

    // A dead letter that a shovel brought back was not replayed, but carries when it was put aside.
    private long DiedAt => Envelope.Headers?.TryGetValue(DeadLetterProperties.PutAsideAt, out var at) == true && at is AmqpTimestamp time ? time.UnixTime : 0;
}
