namespace Holdfast.Consumer;

/// <summary>How many messages a second are taken to be handled.</summary>
public sealed class RateLimitOptions
{
    /// <summary>On average; 0 sets no limit. A fraction is a message every so many seconds.</summary>
    public double PerSecond { get; set; }

    /// <summary>How many may begin at once after a quiet time. Null: those of a quarter of a second, and at least one.</summary>
    public int? Burst { get; set; }
}
