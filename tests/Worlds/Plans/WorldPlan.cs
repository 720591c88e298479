namespace Holdfast.Tests.Worlds;

/// <summary>All that is decided about a world before it begins. The rest follows from it, and from the seed.</summary>
internal sealed record WorldPlan
{
    public required int Seed { get; init; }

    public required BrokerPlan Broker { get; init; }

    public required WorkerPlan[] Workers { get; init; }

    public required MessagePlan[] Messages { get; init; }

    public required Trouble[] Troubles { get; init; }

    /// <summary>From when on no trouble begins any more.</summary>
    public required TimeSpan CalmAt { get; init; }

    /// <summary>How many keys there are that messages are ordered by; 0 where they are not.</summary>
    public required int Keys { get; init; }

    public int KeyOf(int message) => message % Keys;
}

/// <summary>How the broker treats its messages.</summary>
internal sealed record BrokerPlan(TimeSpan Lock, TimeSpan? HoldLimit, bool IsConnectionBound, int MaxDeliveries);

/// <summary>One worker, and how far it is from the broker.</summary>
internal sealed record WorkerPlan
{
    public required int Threads { get; init; }

    public required bool IsSingleThread { get; init; }

    public required int MaxConcurrency { get; init; }

    public required bool IsAdaptive { get; init; }

    public required TimeSpan Ageing { get; init; }

    public required int ImmediateRetries { get; init; }

    public required int MaxDeliveries { get; init; }

    public required TimeSpan RetryDelay { get; init; }

    /// <summary>Later than the others where it comes to help them.</summary>
    public required TimeSpan StartAt { get; init; }

    /// <summary>The longest that a request or an answer travels on a good day; zero answers at once, where it was asked.</summary>
    public required TimeSpan Distance { get; init; }
}
