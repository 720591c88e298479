namespace Holdfast.Consumer;

/// <summary>
/// Which of the traces that would begin here are begun at all: those of messages that bring no trace context. Decided before a listener is asked,
/// because an SDK's sampler has an Activity made first, also for what it drops. Any thread.
/// </summary>
internal sealed class RootSampling(double ratio)
{
    /// <summary>All of them: the listener's sampler decides.</summary>
    public static RootSampling All { get; } = new(1);

    internal bool Take() => ratio >= 1 || (ratio > 0 && Random.Shared.NextDouble() < ratio);
}
