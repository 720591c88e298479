namespace Holdfast.Tests.Worlds;

/// <summary>Something that goes wrong at a moment, for a while.</summary>
/// <param name="At">When it begins.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Worker">Whom it strikes; all of them where it is the broker's.</param>
/// <param name="For">How long it lasts.</param>
/// <param name="Size">How slow, how likely in thousandths, or how many; what it means is the kind's.</param>
/// <param name="Queue">Whose broker, or the way to it, where it is not the whole worker's.</param>
internal readonly record struct Trouble(TimeSpan At, TroubleKind Kind, int Worker, TimeSpan For, int Size, int Queue = 0)
{
    public override string ToString() => $"{At.TotalSeconds:0.000} {Kind} worker {Worker}, queue {Queue}, for {For.TotalSeconds:0.000} s, size {Size}";
}

/// <summary>What can go wrong.</summary>
internal enum TroubleKind
{
    /// <summary>Requests and answers travel for up to so many milliseconds, each for itself, so that they overtake one another.</summary>
    SlowRenewals,
    SlowSettlements,
    SlowReceives,

    /// <summary>So many of a thousand requests never reach the broker, and are never answered.</summary>
    LostRequests,

    /// <summary>So many of a thousand answers never come, though the broker has done what was asked.</summary>
    LostReplies,

    /// <summary>So many of a thousand requests fail.</summary>
    FailedRenewals,
    FailedSettlements,

    /// <summary>Settlements fail for a reason that time does not heal.</summary>
    RejectedSettlements,

    /// <summary>So many of a thousand requests reach the broker a second time, later.</summary>
    Duplicates,

    /// <summary>The broker gives so many held messages up to others.</summary>
    Revocation,

    /// <summary>One worker's connection to a queue is gone.</summary>
    Cut,

    /// <summary>All connections to a queue are gone, and everything of it that is held.</summary>
    BrokerRestart,

    /// <summary>One worker's machine stands still while time passes.</summary>
    Halt,

    /// <summary>One worker is gone from one moment to the next; a new one takes its place afterwards.</summary>
    Crash,

    /// <summary>One worker is told to stop; a new one takes its place some time after it has.</summary>
    Stop,

    /// <summary>So many threads of others burn all they can on one worker's cores.</summary>
    Neighbours,

    /// <summary>The broker is too busy for receiving and settling, and asks each time for so many milliseconds of peace.</summary>
    Busy,
}
