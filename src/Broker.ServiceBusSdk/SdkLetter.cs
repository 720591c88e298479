using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Reads what a message that has arrived says of itself. Any thread.</summary>
internal sealed class SdkLetter(EntityName entity, Recollection recollection, BrokerClock clock, TimeProvider time)
{
    private readonly FirstSight? _seen = entity.IsSubqueue ? new() : null;

    /// <summary>False where its body is no data: Microsoft's client does not hand over any other.</summary>
    public bool TryRead(Sdk.ServiceBusReceivedMessage received, SdkSession? session, [NotNullWhen(true)] out SdkDelivery? delivery)
    {
        var at = time.GetTimestamp();
        clock.Saw(received.EnqueuedTime, at);
        delivery = null;
        if (BodyOf(received) is not { } body)
            return false;

        var count = (int)Math.Min(int.MaxValue, (long)received.DeliveryCount + PropertyValues.ToCount(received.ApplicationProperties.GetValueOrDefault(PropertyNames.EarlierDeliveries)));
        var enqueuedAt = TimeOf(received, PropertyNames.FirstEnqueuedAt) ?? received.EnqueuedTime;
        delivery = new SdkDelivery
        {
            Received = received,
            Entity = entity,
            SequenceNumber = received.SequenceNumber,
            Message = Read(received, body),
            Session = session,
            DeliveryCount = count,
            TriesHere = _seen?.Tries(received.SequenceNumber, enqueuedAt, count),
            EnqueuedAt = enqueuedAt,
            WasSettled = received.DeliveryCount > 1 && recollection.WasCompleted(received.SequenceNumber, enqueuedAt),
            ArrivedAt = at,
            LockDuration = session?.LockDuration ?? clock.Until(received.LockedUntil, at),
        };
        return true;
    }

    /// <summary>A time among its properties; null where there is none of that name.</summary>
    public static DateTimeOffset? TimeOf(Sdk.ServiceBusReceivedMessage received, string property) =>
        received.ApplicationProperties.GetValueOrDefault(property) is DateTime at ? Time(at) : null;

    private static ReadOnlyMemory<byte>? BodyOf(Sdk.ServiceBusReceivedMessage received)
    {
        try
        {
            return received.Body.ToMemory();
        }
        catch (NotSupportedException)
        {
            return null;
        }
    }

    private static Message Read(Sdk.ServiceBusReceivedMessage received, ReadOnlyMemory<byte> body) => new()
    {
        // One that its sender has not named must never be taken for another.
        Id = received.ApplicationProperties.GetValueOrDefault(PropertyNames.Id) as string
            ?? (string.IsNullOrEmpty(received.MessageId) ? $"sequence-{received.SequenceNumber}" : received.MessageId),
        Body = body,
        Priority = PropertyValues.ToPriority(received.ApplicationProperties.GetValueOrDefault(PropertyNames.Priority)),
        ContentType = received.ContentType,
        ContentEncoding = received.GetRawAmqpMessage().Properties.ContentEncoding,
        CorrelationId = received.CorrelationId,
        Subject = received.Subject,
        ReplyTo = received.ReplyTo,
        TimeToLive = received.TimeToLive > TimeSpan.Zero && received.TimeToLive < TimeSpan.MaxValue ? received.TimeToLive : null,
        SessionId = received.SessionId,
        Properties = received.ApplicationProperties.Where(property => !PropertyNames.IsInternal(property.Key)).ToDictionary(property => property.Key, property => Value(property.Value)),
    };

    private static object? Value(object? value) => value switch
    {
        DateTime at => Time(at),
        Uri uri => uri.OriginalString,
        char letter => letter.ToString(),
        _ => value,
    };

    private static DateTimeOffset Time(DateTime at) => new(DateTime.SpecifyKind(at, DateTimeKind.Utc));
}
