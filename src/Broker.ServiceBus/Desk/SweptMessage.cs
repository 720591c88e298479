namespace Holdfast.Broker.ServiceBus;

/// <summary>A message that a sweep holds, with its receipt: the delivery that it came by.</summary>
internal sealed class SweptMessage : QueuedMessage
{
    public required ServiceBusDelivery Delivery { get; init; }
}
