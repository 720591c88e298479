namespace Holdfast.Broker.RabbitMq;

/// <summary>The arguments that our queues are declared with. Whatever a queue gives up goes on to another one, and not before that has it.</summary>
internal static class QueueArguments
{
    public static Dictionary<string, object?> OfWork(string queue, RabbitMqBrokerOptions options)
    {
        var arguments = Onward(DeadLetterQueueOf(queue), options.QueueType);
        if (options.MaxPriority > 0)
            arguments["x-max-priority"] = (int)options.MaxPriority;
        if (options.DelayedRetry == DelayedRetry.Native)
        {
            arguments["x-delayed-retry-type"] = "failed";
            arguments["x-delayed-retry-min"] = (long)options.NativeRetryDelay.TotalMilliseconds;
            arguments["x-delayed-retry-max"] = (long)options.NativeRetryMaxDelay.TotalMilliseconds;
        }

        return arguments;
    }

    public static Dictionary<string, object?> OfDeadLetters(RabbitMqBrokerOptions options) => OfType(options.QueueType);

    public static Dictionary<string, object?> OfWait(string queue, TimeSpan wait, QueueType type)
    {
        var arguments = Onward(queue, type);
        arguments["x-message-ttl"] = (long)wait.TotalMilliseconds;
        return arguments;
    }

    /// <summary>
    /// Where a passage ends. What comes to it comes from a classic queue, which sends to the leader that it knows and does not ask what became of it:
    /// so there is one member, beside that queue, and no other that could become the leader.
    /// </summary>
    public static Dictionary<string, object?> OfPassageEnd(string target)
    {
        var arguments = OfWait(target, TimeSpan.Zero, QueueType.Quorum);
        arguments["x-quorum-initial-group-size"] = 1;
        arguments["x-queue-leader-locator"] = "client-local";
        return arguments;
    }

    public static string DeadLetterQueueOf(string queue) => queue + DeadLetterSuffix;

    public static bool IsDeadLetterQueue(string queue) => queue.EndsWith(DeadLetterSuffix, StringComparison.Ordinal);

    private const string DeadLetterSuffix = ".dead";

    private static Dictionary<string, object?> Onward(string to, QueueType type)
    {
        var arguments = OfType(type);
        arguments["x-dead-letter-exchange"] = "";
        arguments["x-dead-letter-routing-key"] = to;
        if (type == QueueType.Quorum)
        {
            arguments["x-dead-letter-strategy"] = "at-least-once";
            arguments["x-overflow"] = "reject-publish";
        }

        return arguments;
    }

    private static Dictionary<string, object?> OfType(QueueType type) =>
        new() { ["x-queue-type"] = type == QueueType.Quorum ? "quorum" : "classic" };
}
