namespace Holdfast.Consumer;

/// <summary>When handlers fail so often that receiving is paused.</summary>
public sealed class BreakerOptions
{
    /// <summary>The part of the handled messages (above 0 to 1) that must fail; 0 never pauses.</summary>
    public double FailureRatio { get; set; }

    /// <summary>How many messages must have been handled within the window before the ratio counts.</summary>
    public int MinimumHandled { get; set; } = 20;

    /// <summary>How far back messages count.</summary>
    public TimeSpan Window { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long the first pause is. Then one message is let through; if it fails too, the next pause is twice as long.</summary>
    public TimeSpan Pause { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The longest pause.</summary>
    public TimeSpan MaxPause { get; set; } = TimeSpan.FromMinutes(5);
}
