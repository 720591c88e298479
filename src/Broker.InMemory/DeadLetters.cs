namespace Holdfast.Broker.InMemory;

/// <summary>Where dead letters go, and what becomes of a message that is one.</summary>
public static class DeadLetters
{
    /// <summary>The reason that the broker itself gives for a message that comes back again and again.</summary>
    public const string MaxDeliveries = "max_deliveries";

    /// <summary>The reason that it gives for one that nobody received while it lived.</summary>
    public const string Expired = "expired";

    /// <summary>The name of the queue that takes a queue's dead letters.</summary>
    public static string QueueOf(string queue) => queue + ".dead";

    internal static void Mark(StoredMessage message, string queue, string? reason, string? description) =>
        message.Write(new Dictionary<string, object?>
        {
            [DeadLetterProperties.Reason] = reason,
            [DeadLetterProperties.Description] = description,
            [DeadLetterProperties.Queue] = queue,
            [DeadLetterProperties.Deliveries] = message.DeliveryCount,
        });
}
