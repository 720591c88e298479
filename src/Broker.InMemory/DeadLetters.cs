namespace Holdfast.Broker.InMemory;

/// <summary>Where dead letters go, and the properties that tell why.</summary>
public static class DeadLetters
{
    public const string Reason = "dead-letter-reason";
    public const string Description = "dead-letter-description";

    /// <summary>The queue that the message was put aside from.</summary>
    public const string Queue = "dead-letter-queue";

    /// <summary>The reason that the broker itself gives.</summary>
    public const string MaxDeliveries = "MaxDeliveries";

    /// <summary>The name of the queue that takes a queue's dead letters.</summary>
    public static string QueueOf(string queue) => queue + ".dead";

    internal static Message Mark(Message message, string queue, string? reason, string? description) => new()
    {
        Id = message.Id,
        Body = message.Body,
        Priority = message.Priority,
        ContentType = message.ContentType,
        CorrelationId = message.CorrelationId,
        Properties = new Dictionary<string, object?>(message.Properties)
        {
            [Reason] = reason,
            [Description] = description,
            [Queue] = queue,
        },
    };
}
