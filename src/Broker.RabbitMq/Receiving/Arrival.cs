using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What the server hands over, before anybody has counted it.</summary>
internal readonly record struct Arrival(
    ulong Tag, bool IsRedelivered, string Exchange, string RoutingKey, IReadOnlyBasicProperties Envelope, byte[] Body, long At)
{
    /// <summary>How often it had been delivered when it was last sent on by us.</summary>
    public int EarlierDeliveries => (int)(Headers.Number(Envelope.Headers, HeaderNames.EarlierDeliveries) ?? 0);

    /// <summary>How often the server says that it came back to it since. A failed delivery counts; one that was merely given back only where nothing else is told.</summary>
    public int? ServerCount =>
        (int?)(Headers.Number(Envelope.Headers, HeaderNames.DeliveryCount) ?? Headers.Number(Envelope.Headers, HeaderNames.AcquiredCount));
}
