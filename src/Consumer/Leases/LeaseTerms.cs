namespace Holdfast.Consumer;

/// <summary>
/// The arithmetic of a lease, and nothing else. All instants are of our own monotonic clock and counted from before the request was sent,
/// so neither a slow answer nor a skew between our clock and the broker's ever stretches trust.
/// </summary>
internal readonly record struct LeaseTerms(TimeSpan Lock, TimeSpan Margin, double RenewAfter)
{
    // A broker may say "for ever" with the longest span there is, and no instant lies that far ahead.
    private static readonly TimeSpan s_forEver = TimeSpan.FromDays(10_000);

    // However long the lock: a renewal that failed once mostly succeeds a moment later, and until it has nobody knows whether all is well.
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(3);

    private const double MostMargin = 0.25;
    private const double Jitter = 0.1;
    private const double LatestPartOfTrust = 0.75;
    private const int RetriesWithinTrust = 3;
    private const int CoalescedPartOfLock = 16;
    private const double LatePart = 0.5;
    private const double NearPart = 0.25;

    /// <summary>How long the broker's lock lasts.</summary>
    public TimeSpan Lock { get; } = Times.Min(Lock, s_forEver);

    /// <summary>How long before its due time a renewal may join one that is sent now.</summary>
    public TimeSpan Coalescing => Lock / CoalescedPartOfLock;

    /// <summary>How much of the trust is kept to give back a message that may not be held any longer.</summary>
    public TimeSpan LastWord => SafeMargin;

    /// <summary>For how long a renewal that failed tells of trouble: until two more tries would have told of it too.</summary>
    public TimeSpan Strain => Times.Min(Lock / RetriesWithinTrust, s_longestRetry * 2);

    // What is still left when a renewal is asked for as late as the terms have it.
    private TimeSpan LeftAtRenewal => TrustedUntil(TimeSpan.Zero) - RenewAt(TimeSpan.Zero, spread: 0);

    private TimeSpan SafeMargin => Times.Min(Margin, Lock * MostMargin);

    /// <summary>How long a lease that was asked for at <paramref name="asked"/> is trusted.</summary>
    public TimeSpan TrustedUntil(TimeSpan asked) => asked + Lock - SafeMargin;

    /// <summary>Until when a message that arrived then may be held in all.</summary>
    public TimeSpan Limit(TimeSpan arrived, TimeSpan? most) => most is { } longest && longest < s_forEver ? arrived + longest - SafeMargin : TimeSpan.MaxValue;

    /// <summary>When to ask again. A <paramref name="spread"/> from 0 to 1 keeps leases that were taken together from coming due together.</summary>
    public TimeSpan RenewAt(TimeSpan asked, double spread) =>
        asked + Times.Min(Lock * RenewAfter * (1 - Jitter * spread), (TrustedUntil(asked) - asked) * LatestPartOfTrust);

    /// <summary>How near a lease with so much trust left is to being lost: renewals in time never let it fall to half of what they begin with.</summary>
    public LeaseDanger Danger(TimeSpan trustLeft) =>
        trustLeft < LeftAtRenewal * NearPart ? LeaseDanger.Near
        : trustLeft < LeftAtRenewal * LatePart ? LeaseDanger.Late
        : LeaseDanger.None;

    /// <summary>When to ask again after a request that failed or has not been answered so far, while there is trust left.</summary>
    public static TimeSpan RetryAt(TimeSpan now, TimeSpan trustedUntil) =>
        Times.Min(trustedUntil, now + Times.Max(TimeSpan.FromMilliseconds(1), Times.Min(s_longestRetry, (trustedUntil - now) / RetriesWithinTrust)));
}
