namespace Holdfast.Broker.RabbitMq;

/// <summary>A message can't be written, as it is: not by this connection, and not by the next.</summary>
internal sealed class UnfitException(string message) : Exception(message);
