namespace Holdfast.Broker;

/// <summary>The properties in which a dead letter tells why it is one, wherever the broker leaves that to us.</summary>
public static class DeadLetterProperties
{
    public const string Reason = "dead-letter-reason";
    public const string Description = "dead-letter-description";

    /// <summary>The queue that the message was put aside from.</summary>
    public const string Queue = "dead-letter-queue";

    /// <summary>Its failed deliveries, the last ones: JSON. A message that waits for its next delivery carries it too.</summary>
    public const string Failures = "holdfast-failures";
}
