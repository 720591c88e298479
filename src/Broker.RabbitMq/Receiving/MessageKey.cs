namespace Holdfast.Broker.RabbitMq;

/// <summary>Names a message of one queue, as long as it is not sent on: after that the same name is another message of its own.</summary>
internal readonly record struct MessageKey(string Id, int EarlierDeliveries);
