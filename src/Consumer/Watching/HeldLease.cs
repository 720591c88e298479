namespace Holdfast.Consumer;

/// <summary>One held message and its lease at the moment of a look. Instants are of the engine's monotonic clock; the payload is no part of it.</summary>
public sealed record HeldLease
{
    /// <summary>Tells it from all others of this process: a message id may come twice.</summary>
    public required long Number { get; init; }

    public required string Queue { get; init; }

    public required string MessageId { get; init; }

    public required byte Priority { get; init; }

    public required int DeliveryCount { get; init; }

    /// <summary>Which try at this delivery it is: 1 at first.</summary>
    public required int Attempt { get; init; }

    /// <summary>When the message came into our hands.</summary>
    public required TimeSpan Since { get; init; }

    public required TimeSpan LockDuration { get; init; }

    /// <summary>Until when it is ours if it is never renewed again.</summary>
    public required TimeSpan TrustedUntil { get; init; }

    public required LaneState State { get; init; }

    public required LeaseDanger Danger { get; init; }
}
