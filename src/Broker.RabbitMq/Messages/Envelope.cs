using System.Globalization;
using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Writes the AMQP properties of what we send, new messages and those that we send on to wait or to be put aside, and reads those of what comes.</summary>
internal static class Envelope
{
    // Whoever sends with it must consume from it on the same channel, or the server ends that channel.
    private const string DirectReply = "amq.rabbitmq.reply-to";

    /// <exception cref="BrokerException">It has what AMQP, or the server, can't hold.</exception>
    public static BasicProperties Of(Message message, DateTimeOffset now) => message.SessionId is not null ? throw NoSessions() : new()
    {
        MessageId = Short(nameof(Message.Id), message.Id),
        Priority = message.Priority,
        ContentType = Short(nameof(Message.ContentType), message.ContentType),
        ContentEncoding = Short(nameof(Message.ContentEncoding), message.ContentEncoding),
        CorrelationId = Short(nameof(Message.CorrelationId), message.CorrelationId),
        Type = Short(nameof(Message.Subject), message.Subject),
        ReplyTo = Short(nameof(Message.ReplyTo), message.ReplyTo) is var replyTo and not DirectReply ? replyTo : throw NoDirectReply(),
        Expiration = message.TimeToLive is { } life ? Milliseconds(life) : null,
        Timestamp = new AmqpTimestamp(now.ToUnixTimeSeconds()),
        Persistent = true,
        Headers = new Dictionary<string, object?>(message.Properties.Select(p => KeyValuePair.Create(p.Key, Headers.Write(p.Key, p.Value))))
        {
            [HeaderNames.SentAt] = now.ToUnixTimeMilliseconds(),
        },
    };

    /// <summary>What a message that has come says of itself.</summary>
    public static Message Read(IReadOnlyBasicProperties envelope, string id, ReadOnlyMemory<byte> body) => new()
    {
        Id = id,
        Body = body,
        Priority = envelope.Priority,
        ContentType = envelope.ContentType,
        ContentEncoding = envelope.ContentEncoding,
        CorrelationId = envelope.CorrelationId,
        Subject = envelope.Type,
        ReplyTo = envelope.ReplyTo,
        TimeToLive = Life(envelope.Expiration),
        Properties = Headers.Read(envelope.Headers, out var weight),
        Weight = Footprint.Told(body.Length + weight),
    };

    /// <summary>For the wait queue: the same message, which remembers how often it has been delivered.</summary>
    public static BasicProperties ToWait(RabbitMqDelivery delivery, Settlement settlement)
    {
        var envelope = WithoutServersNotes(Copy(delivery, settlement, mayBeCut: false));
        envelope.Headers![HeaderNames.EarlierDeliveries] = delivery.DeliveryCount;
        return envelope;
    }

    /// <summary>For the wait queue: a new message that is to come later.</summary>
    /// <inheritdoc cref="Of"/>
    public static BasicProperties ToWait(Message message, DateTimeOffset now) => WithoutServersNotes(Of(message, now));

    /// <summary>For the dead-letter queue: the same message, which tells why it is there and where it comes from.</summary>
    public static BasicProperties ToPutAside(RabbitMqDelivery delivery, Settlement settlement, DateTimeOffset now)
    {
        var envelope = Copy(delivery, settlement, mayBeCut: true);
        envelope.Headers![DeadLetterProperties.Reason] = ShortText.Fit(settlement.Reason);
        envelope.Headers[DeadLetterProperties.Description] = settlement.Description;
        envelope.Headers[DeadLetterProperties.Queue] = delivery.Intake.Queue;
        envelope.Headers[HeaderNames.Exchange] = delivery.Exchange;
        envelope.Headers[HeaderNames.RoutingKey] = delivery.RoutingKey;
        envelope.Headers[DeadLetterProperties.Deliveries] = delivery.DeliveryCount;
        envelope.Headers[DeadLetterProperties.PutAsideAt] = new AmqpTimestamp(now.ToUnixTimeSeconds());
        envelope.Headers.Remove(HeaderNames.EarlierDeliveries);
        return envelope;
    }

    /// <summary>For the queue that it came from: the same message, as if it were sent only now, but for a mark that it died before.</summary>
    public static BasicProperties ToReplay(IReadOnlyBasicProperties original, DateTimeOffset now)
    {
        var envelope = Again(original);
        var headers = envelope.Headers!.Where(header => !HeaderNames.IsOfDeath(header.Key) && header.Key != HeaderNames.EarlierDeliveries).ToDictionary();
        headers[HeaderNames.SentAt] = now.ToUnixTimeMilliseconds();
        headers[ReplayProperties.Replays] = (Headers.Count(original.Headers, ReplayProperties.Replays) ?? 0) + 1L;
        headers[ReplayProperties.ReplayedAt] = now.ToUnixTimeMilliseconds();
        envelope.Headers = new SentOnHeaders(headers, mayBeCut: false);
        return envelope;
    }

    /// <summary>For the queue that it is taken from, which has forgotten it: the same message, or as much of it as can be written.</summary>
    public static BasicProperties ToPutBack(IReadOnlyBasicProperties original)
    {
        var envelope = Again(original);
        envelope.Headers = new SentOnHeaders(envelope.Headers!, mayBeCut: true);
        return envelope;
    }

    public static DateTimeOffset? SentAt(IReadOnlyBasicProperties envelope) =>
        (Headers.Number(envelope.Headers, HeaderNames.SentAt) is { } milliseconds ? Headers.Time(milliseconds) : null)
        ?? (envelope.IsTimestampPresent() ? Headers.Time(envelope.Timestamp) : null);

    private static BasicProperties Again(IReadOnlyBasicProperties original)
    {
        var envelope = new BasicProperties(original)
        {
            Persistent = true,
            MessageId = ShortText.Fit(original.MessageId),
            CorrelationId = ShortText.Fit(original.CorrelationId),
            ContentType = ShortText.Fit(original.ContentType),
            ContentEncoding = ShortText.Fit(original.ContentEncoding),
            Type = ShortText.Fit(original.Type),
            AppId = ShortText.Fit(original.AppId),
            ClusterId = ShortText.Fit(original.ClusterId),

            // Others than those who speak AMQP 0-9-1 may have come past the server with it.
            ReplyTo = ShortText.Fit(original.ReplyTo) is var replyTo and not DirectReply ? replyTo : null,
            Headers = (original.Headers ?? new Dictionary<string, object?>())
                .Where(header => !HeaderNames.IsForOnce(header.Key))
                .ToDictionary(),
        };

        // The first has been waited for already; the second the server takes from nobody but that user.
        envelope.ClearExpiration();
        envelope.ClearUserId();
        return envelope;
    }

    private static BasicProperties Copy(RabbitMqDelivery delivery, Settlement settlement, bool mayBeCut)
    {
        var envelope = Again(delivery.Envelope);
        envelope.MessageId = delivery.Message.Id;
        var headers = new SentOnHeaders(envelope.Headers!, mayBeCut);
        headers.TryAdd(HeaderNames.SentAt, delivery.EnqueuedAt.ToUnixTimeMilliseconds());
        headers.Tell(settlement.Properties);
        envelope.Headers = headers;
        return envelope;
    }

    // When the wait is over the server itself hands it on, and drops what by these notes has died before where it is to come to.
    private static BasicProperties WithoutServersNotes(BasicProperties envelope)
    {
        foreach (var name in envelope.Headers!.Keys.Where(HeaderNames.IsServersNoteOfDeath).ToArray())
            envelope.Headers.Remove(name);
        return envelope;
    }

    private static string? Short(string name, string? text)
    {
        var length = Encoding.UTF8.GetByteCount(text ?? "");
        return length <= Server.LongestShortText
            ? text
            : throw new BrokerException($"A message's {name} is {length} bytes long, and RabbitMQ takes {Server.LongestShortText}; shorten it, or make it a property.", isTransient: false);
    }

    private static BrokerException NoSessions() =>
        new("A message's SessionId is set, and RabbitMQ has no sessions: it would be lost. Make it a property, and have OrderBy name that.", isTransient: false);

    private static BrokerException NoDirectReply() =>
        new($"A message's ReplyTo is {DirectReply}, and no answer could come back by it; name a queue.", isTransient: false);

    private static TimeSpan? Life(string? expiration) =>
        long.TryParse(expiration, NumberStyles.None, CultureInfo.InvariantCulture, out var life) && life > 0 && life <= Server.LongestLife.TotalMilliseconds ? TimeSpan.FromMilliseconds(life) : null;

    private static string Milliseconds(TimeSpan life) => life <= Server.LongestLife
        ? Math.Ceiling(life.TotalMilliseconds).ToString(CultureInfo.InvariantCulture)
        : throw new BrokerException($"RabbitMQ lets a message live for {Server.LongestLife.Days} days at most, and this one has a TimeToLive of {life}; set a shorter one, or none.", isTransient: false);
}
