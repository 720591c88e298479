namespace Holdfast.Consumer;

/// <summary>What becomes of a message whose handler throws.</summary>
public sealed class RetryOptions
{
    /// <summary>How often a delivery is tried again at once, while its lease allows.</summary>
    public int Immediate { get; set; } = 2;

    /// <summary>How long the first immediate retry waits; each next one twice as long, with jitter.</summary>
    public TimeSpan ImmediateDelay { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>From this delivery on a failed message is dead-lettered.</summary>
    public int MaxDeliveries { get; set; } = 10;

    /// <summary>How long the broker keeps a failed message back after its first delivery, holding no lease; after each next one twice as long.</summary>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest that a failed message is kept back.</summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMinutes(10);
}
