using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>The names of a message's annotations, with which the broker tells what it knows of it.</summary>
internal static class Annotations
{
    public const string EnqueuedTime = "x-opt-enqueued-time";
    public const string SequenceNumber = "x-opt-sequence-number";
    public const string State = "x-opt-message-state";
    public const string LockedUntil = "x-opt-locked-until";
    public const string ScheduledTime = "x-opt-scheduled-enqueue-time";
    public const string PartitionKey = "x-opt-partition-key";

    /// <summary>By which its sender has it kept together with others; null where it has none.</summary>
    public static string? PartitionKeyOf(AmqpMessage message) => message.MessageAnnotations?.GetValueOrDefault(PartitionKey) as string;

    /// <summary>Whether the broker gives it to each message anew, so that a copy must not bring it along.</summary>
    public static bool IsBrokers(string name) =>
        name.StartsWith("x-opt-", StringComparison.Ordinal) && name is not PartitionKey;
}
