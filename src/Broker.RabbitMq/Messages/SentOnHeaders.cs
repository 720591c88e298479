namespace Holdfast.Broker.RabbitMq;

/// <summary>The headers of a message that was delivered and is sent on, to wait or to be put aside: so it is settled.</summary>
internal sealed class SentOnHeaders(IDictionary<string, object?> original) : Dictionary<string, object?>(original);
