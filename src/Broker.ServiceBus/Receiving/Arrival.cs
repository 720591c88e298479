using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>How a message came: the link, and what it is called there.</summary>
internal sealed record Arrival(AmqpReceiver Link, AmqpDelivery Receipt);
