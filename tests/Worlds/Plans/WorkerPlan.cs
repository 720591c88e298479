using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>One worker, and how far it is from the broker.</summary>
internal sealed record WorkerPlan
{
    public required int Threads { get; init; }

    public required bool IsSingleThread { get; init; }

    /// <summary>As many as it has threads that run handlers.</summary>
    public int Cores => IsSingleThread ? 1 : Threads;

    public required TimeSpan Ageing { get; init; }

    public TurnOrder TurnOrder { get; init; }

    /// <summary>Later than the others where it comes to help them.</summary>
    public required TimeSpan StartAt { get; init; }

    /// <summary>The longest that a request or an answer travels on a good day; zero answers at once, where it was asked.</summary>
    public required TimeSpan Distance { get; init; }

    /// <summary>Where its place remembers what was completed there; null where nothing outlives a crash.</summary>
    public StorePlan? Store { get; init; }

    /// <summary>How it consumes each of the queues.</summary>
    public required ConsumerPlan[] Queues { get; init; }
}

/// <summary>How one worker consumes one queue.</summary>
internal sealed record ConsumerPlan
{
    public required int MaxConcurrency { get; init; }

    public required bool IsAdaptive { get; init; }

    public required int ImmediateRetries { get; init; }

    public required int MaxDeliveries { get; init; }

    public required TimeSpan RetryDelay { get; init; }

    /// <summary>How long one attempt of a handler may take; null where that is its own affair.</summary>
    public TimeSpan? AttemptTimeout { get; init; }

    /// <summary>How many bytes may be in hand; null where memory is no concern.</summary>
    public int? MaxBytes { get; init; }

    /// <summary>When failures pause it; null where they do not.</summary>
    public BreakerOptions? Breaker { get; init; }

    /// <summary>How fast it may take messages; null where it takes what there is.</summary>
    public RateLimitOptions? RateLimit { get; init; }
}
