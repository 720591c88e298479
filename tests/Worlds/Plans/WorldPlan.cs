namespace Holdfast.Tests.Worlds;

/// <summary>All that is decided about a world before it begins. The rest follows from it, and from the seed.</summary>
internal sealed record WorldPlan
{
    public required int Seed { get; init; }

    public required QueuePlan[] Queues { get; init; }

    public required WorkerPlan[] Workers { get; init; }

    public required MessagePlan[] Messages { get; init; }

    public required Trouble[] Troubles { get; init; }

    /// <summary>From when on no trouble begins any more.</summary>
    public required TimeSpan CalmAt { get; init; }

    /// <summary>The same world, with other terms on which each worker consumes each queue.</summary>
    public WorldPlan WithConsumers(Func<ConsumerPlan, ConsumerPlan> change) =>
        this with { Workers = [.. Workers.Select(worker => worker with { Queues = [.. worker.Queues.Select(change)] })] };

    public int QueueOf(int message) => Messages[message].Queue;

    public BrokerPlan BrokerOf(int message) => Queues[QueueOf(message)].Broker;

    /// <summary>What a message must be handled in order with; null where it may be in any.</summary>
    public (int Queue, int Key)? KeyOf(int message) =>
        Queues[QueueOf(message)].Keys is > 0 and var keys ? (QueueOf(message), message % keys) : null;
}

/// <summary>One queue, with a broker of its own kind.</summary>
/// <param name="Broker">How it is treated.</param>
/// <param name="Keys">How many keys there are that its messages are ordered by; 0 where they are not.</param>
internal sealed record QueuePlan(BrokerPlan Broker, int Keys);

/// <summary>How the broker treats its messages.</summary>
internal sealed record BrokerPlan(TimeSpan Lock, TimeSpan? HoldLimit, bool IsConnectionBound, int MaxDeliveries)
{
    /// <summary>How long the copy may take that a settlement sends before it, where the lease is renewed meanwhile; null where it sends none.</summary>
    public TimeSpan? LongSettlement { get; init; }

    /// <summary>
    /// Whether nothing answers that a message is completed: its worker takes it for settled at once, and knows it again where it comes back, for that may be lost.
    /// </summary>
    public bool CompletesUnanswered { get; init; }

    /// <summary>Whether a lease is renewed beside its settlement.</summary>
    public bool IsHeldMeanwhile => LongSettlement is not null;
}
