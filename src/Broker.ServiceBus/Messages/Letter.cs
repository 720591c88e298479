using System.Globalization;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Reads what a message that has arrived says of itself.</summary>
internal static class Letter
{
    // The longest that a broker takes, or such one in digits. Anybody may write ours.
    private const int LongestId = 256;

    // What is neither is active.
    private const int Deferred = 1;
    private const int Scheduled = 2;

    public static Message Read(AmqpMessage message, long sequenceNumber)
    {
        var body = BodyBytes.Of(message.Body);
        return new()
        {
            // One that its sender has not named must never be taken for another.
            Id = Find(message, PropertyNames.Id) is string { Length: > 0 and <= LongestId } id ? id : Text(message.Properties?.MessageId) ?? $"sequence-{sequenceNumber}",
            Body = body,
            Weight = MessageWeight.Of(message, body),
            Priority = PropertyValues.ToPriority(Find(message, PropertyNames.Priority)),
            ContentType = message.Properties?.ContentType?.Value,
            ContentEncoding = message.Properties?.ContentEncoding?.Value,
            CorrelationId = Text(message.Properties?.CorrelationId),
            Subject = message.Properties?.Subject,
            ReplyTo = message.Properties?.ReplyTo,
            TimeToLive = Lifetime.Of(message),
            SessionId = message.Properties?.GroupId,
            Properties = PropertyValues.Read(message.ApplicationProperties),
        };
    }

    /// <summary>Why its body, or what is said about it, can't be read; null where all of it can. Annotations and a footer are nobody's business.</summary>
    public static string? Unreadable(AmqpMessage message) => message switch
    {
        { Body: UnreadBody body } => $"Its body can't be read: {body.Problem}.",
        { ApplicationProperties: UnreadProperties properties } => $"Its properties can't be read: {properties.Problem}.",
        { Properties.Unread: { } properties } => $"Its properties can't be read: {properties.Problem}.",
        { Header.Unread: { } header } => $"Its header can't be read: {header.Problem}.",
        _ => null,
    };

    /// <summary>How often it was delivered, this time included, by the broker's count and by ours from before we sent it on.</summary>
    public static int DeliveryCount(AmqpMessage message)
    {
        var earlier = PropertyValues.ToCount(Find(message, PropertyNames.EarlierDeliveries));
        return (int)Math.Min(int.MaxValue, (message.Header?.DeliveryCount ?? 0L) + earlier + 1);
    }

    /// <summary>Whether it tells of deliveries from before we sent it on.</summary>
    public static bool HasEarlierDeliveries(AmqpMessage message) => Find(message, PropertyNames.EarlierDeliveries) is not null;

    /// <summary>When a worker put it aside, if one did: from then on its deliveries count anew.</summary>
    public static DateTimeOffset? CountsSince(AmqpMessage message) => Time(Find(message, DeadLetterProperties.PutAsideAt));

    public static DateTimeOffset? FirstEnqueuedAt(AmqpMessage message) => Time(Find(message, PropertyNames.FirstEnqueuedAt));

    public static DateTimeOffset? EnqueuedAt(AmqpMessage message) => Time(Annotation(message, Annotations.EnqueuedTime));

    public static DateTimeOffset? LockedUntil(AmqpMessage message) => Time(Annotation(message, Annotations.LockedUntil));

    public static long? SequenceNumber(AmqpMessage message) => Annotation(message, Annotations.SequenceNumber) as long?;

    public static QueuedState State(AmqpMessage message) => Annotation(message, Annotations.State) switch
    {
        Deferred => QueuedState.Deferred,
        Scheduled => QueuedState.Scheduled,
        _ => QueuedState.Active,
    };

    /// <summary>A message that was only looked at.</summary>
    public static QueuedMessage Queued(AmqpMessage message, long sequenceNumber) => new()
    {
        Message = Read(message, sequenceNumber),
        Unreadable = Unreadable(message),
        State = State(message),
        ScheduledFor = State(message) == QueuedState.Scheduled ? Time(Annotation(message, Annotations.ScheduledTime)) : null,
        EnqueuedAt = FirstEnqueuedAt(message) ?? EnqueuedAt(message),
        HandedOut = HandedOut(message, isHeld: false),
        Reason = Find(message, PropertyNames.Reason) as string,
        Description = Find(message, PropertyNames.Description) as string,
        PutAsideAt = PutAsideAt(message),
    };

    /// <summary>A message that is held under lock.</summary>
    public static SweptMessage Swept(ServiceBusDelivery delivery) => new()
    {
        Delivery = delivery,
        Message = delivery.Message,
        Unreadable = delivery.Unreadable,
        EnqueuedAt = delivery.EnqueuedAt,
        HandedOut = HandedOut(delivery.Original, isHeld: true),
        Reason = Find(delivery.Original, PropertyNames.Reason) as string,
        Description = Find(delivery.Original, PropertyNames.Description) as string,
        PutAsideAt = PutAsideAt(delivery.Original),
    };

    // By this queue: what came before it was sent on was another's to count.
    private static int HandedOut(AmqpMessage message, bool isHeld) => (int)Math.Min(int.MaxValue, (message.Header?.DeliveryCount ?? 0L) + (isHeld ? 1 : 0));

    // The broker does not say; the worker that put it aside did, or an older one that it failed then.
    private static DateTimeOffset? PutAsideAt(AmqpMessage message) =>
        CountsSince(message)
        ?? (DateTimeOffset.TryParse(Find(message, DeadLetterProperties.LastFailure) as string, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var at) ? at : null);

    private static object? Find(AmqpMessage message, string name) => message.ApplicationProperties?.GetValueOrDefault(name);

    private static object? Annotation(AmqpMessage message, string name) => message.MessageAnnotations?.GetValueOrDefault(name);

    private static DateTimeOffset? Time(object? value) => value is AmqpTimestamp time ? time.ToDateTimeOffset() : null;

    // A list, a table or whatever else has several values is no name: as a text all of them would be the same.
    private static string? Text(object? name) => name switch
    {
        string or ValueType => string.Create(CultureInfo.InvariantCulture, $"{name}"),
        byte[] bytes => Convert.ToHexStringLower(bytes),
        _ => null,
    } is { Length: > 0 } text ? text : null;
}
