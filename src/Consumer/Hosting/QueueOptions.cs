namespace Holdfast.Consumer;

/// <summary>How one queue is consumed.</summary>
public sealed class QueueOptions
{
    /// <summary>The most messages of this queue that are held at once.</summary>
    public int MaxConcurrency { get; set; } = 256;

    /// <summary>Whether the number held at once follows what the machine can carry, or is always <see cref="MaxConcurrency"/>.</summary>
    public AdmissionMode Admission { get; set; } = AdmissionMode.Adaptive;

    /// <summary>The most bytes that held messages take in memory at once, with their bodies and properties, as far as the sizes of the last messages can tell of the next ones.</summary>
    public long MaxBytesInFlight { get; set; } = 256L << 20;

    /// <summary>What messages are handled one at a time by, in the order in which they arrive: <c>session</c>, or a property's name. Null handles them in any order.</summary>
    public string? OrderBy { get; set; }

    /// <summary>The property whose number, 0 to 255, is a message's priority among those in hand. Null leaves that to the broker's.</summary>
    public string? PriorityFrom { get; set; }

    public LeaseOptions Lease { get; set; } = new();

    public RetryOptions Retry { get; set; } = new();

    public BreakerOptions Breaker { get; set; } = new();

    public RateLimitOptions RateLimit { get; set; } = new();
}
