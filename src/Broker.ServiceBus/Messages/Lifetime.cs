using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How long a message may wait to be received. Its header can't say more than 49 days; so Azure's clients write two times as well,
/// and where those days are not enough, believe their difference.
/// </summary>
internal static class Lifetime
{
    public static TimeSpan? Of(AmqpMessage message) => message switch
    {
        { Header.TimeToLive: > 0 and < uint.MaxValue and var milliseconds } => TimeSpan.FromMilliseconds(milliseconds),
        { Properties: { CreationTime: { } from, AbsoluteExpiryTime: { } to } } when to.ToDateTimeOffset() - from.ToDateTimeOffset() is var life && life > TimeSpan.Zero => life,
        _ => null,
    };

    public static MessageHeader? Header(TimeSpan? life) =>
        life is { } time ? new() { TimeToLive = (uint)Math.Min(uint.MaxValue, Math.Ceiling(time.TotalMilliseconds)) } : null;

    /// <summary>The same properties, of a message whose life begins then: a copy that told of the end of another one would be dead before it came.</summary>
    public static MessageProperties Begin(this MessageProperties properties, TimeSpan? life, DateTimeOffset from) => life is { } time && time < DateTimeOffset.MaxValue - from
        ? properties with { CreationTime = AmqpTimestamp.From(from), AbsoluteExpiryTime = AmqpTimestamp.From(from + time) }
        : properties with { AbsoluteExpiryTime = null };
}
