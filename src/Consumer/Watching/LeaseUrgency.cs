namespace Holdfast.Consumer;

/// <summary>
/// Which lease a person should see first: those in danger, the least trust first; then all others in the order they came, so that nothing moves while all is well.
/// </summary>
internal readonly record struct LeaseUrgency(LeaseDanger Danger, long Tie) : IComparable<LeaseUrgency>
{
    public static LeaseUrgency Of(Lease lease, TimeSpan now) =>
        lease.Danger(now) is var danger and not LeaseDanger.None
            ? new(danger, lease.TrustedUntil.Ticks)
            : new(LeaseDanger.None, lease.Number);

    public int CompareTo(LeaseUrgency other) =>
        Danger != other.Danger ? other.Danger.CompareTo(Danger) : Tie.CompareTo(other.Tie);
}
