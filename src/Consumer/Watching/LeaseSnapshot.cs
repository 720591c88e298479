namespace Holdfast.Consumer;

/// <summary>All held leases at one moment, and the most urgent of them one by one.</summary>
public sealed record LeaseSnapshot
{
    /// <summary>The moment, on the engine's monotonic clock.</summary>
    public required TimeSpan At { get; init; }

    /// <summary>How many messages are in hand, those not listed among them.</summary>
    public required int InHand { get; init; }

    /// <summary>How many of their leases are in danger, or lost already.</summary>
    public required int InDanger { get; init; }

    /// <summary>How many of those are lost, and their handlers have not ended yet.</summary>
    public required int Lost { get; init; }

    /// <summary>What is left of the trust in the lease that ends first; null where none is held.</summary>
    public TimeSpan? LeastTrust { get; init; }

    /// <summary>The most urgent first.</summary>
    public required IReadOnlyList<HeldLease> Leases { get; init; }
}
