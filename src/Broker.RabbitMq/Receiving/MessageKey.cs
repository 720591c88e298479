namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Names a message of one queue, as long as it is not sent on: after that the same name is another message of its own,
/// whether it has waited, was replayed, or was moved back here after it had died. Its sender may have given its id to others as well: so its traits
/// (how it came, when, and what its body looks like) are part of it.
/// </summary>
internal readonly record struct MessageKey(string Id, int EarlierDeliveries, long Replays = 0, long DiedAt = 0, int Traits = 0);
