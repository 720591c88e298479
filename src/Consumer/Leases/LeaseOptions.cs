namespace Holdfast.Consumer;

/// <summary>How far a lease is trusted, and when it is renewed.</summary>
public sealed class LeaseOptions
{
    /// <summary>The least time before the broker's own deadline at which a lease is no longer trusted.</summary>
    public TimeSpan MinMargin { get; set; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The most that the margin may grow to, as renewals are seen to come back later. Never more than a quarter of the lock.</summary>
    public TimeSpan MaxMargin { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>When to renew, as the part of the lock that has passed.</summary>
    public double RenewAfter { get; set; } = 0.5;

    /// <summary>What becomes of a message that is still being handled when the broker is about to let nobody hold it any longer.</summary>
    public AtLimit AtLimit { get; set; }
}
