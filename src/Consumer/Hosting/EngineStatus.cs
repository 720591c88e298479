namespace Holdfast.Consumer;

/// <summary>What the engine looks like right now, for health checks and for people.</summary>
public sealed record EngineStatus
{
    public required EngineState State { get; init; }

    /// <summary>For how long the lease loop has not come round; near zero while it lives.</summary>
    public required TimeSpan LeaseLoopSilence { get; init; }

    /// <summary>Why the engine can't go on, where it can't.</summary>
    public string? Fault { get; init; }

    public required int Threads { get; init; }

    public required int ThreadsBlocked { get; init; }

    public required IReadOnlyList<LaneStatus> Lanes { get; init; }

    public required IReadOnlyList<QueueStatus> Queues { get; init; }
}

/// <summary>The stages of an engine's life.</summary>
public enum EngineState
{
    Starting,
    Running,
    Draining,
    Stopped,
    Failed,
}

/// <summary>One lane right now, with its totals since the start.</summary>
public sealed record LaneStatus(string Lane, int Queued)
{
    /// <summary>How many threads run something of it, those that are blocked in it among them.</summary>
    public int Busy { get; init; }

    /// <summary>How many waits for a thread were measured.</summary>
    public long Waits { get; init; }

    /// <summary>How long those waits were in all.</summary>
    public TimeSpan Waited { get; init; }
}

/// <summary>One queue right now, with its totals since the start.</summary>
public sealed record QueueStatus
{
    public required string Queue { get; init; }

    public required bool IsConnected { get; init; }

    /// <summary>The broker's last complaint, while it lasts.</summary>
    public string? Problem { get; init; }

    public required int LeasesHeld { get; init; }

    public required int SlotsUsed { get; init; }

    public required int SlotsLimit { get; init; }

    /// <summary>Why nothing more is taken right now, where nothing is.</summary>
    public string? Holding { get; init; }

    /// <summary>The same, in the word that the metrics use.</summary>
    public string? HoldingReason { get; init; }

    public required long Received { get; init; }

    public required long Completed { get; init; }

    public required long Abandoned { get; init; }

    public required long Delayed { get; init; }

    public required long DeadLettered { get; init; }

    /// <summary>Renewals that the broker granted.</summary>
    public required long Renewals { get; init; }

    public required long Misses { get; init; }

    /// <summary>The least trust that was left when a renewal came back, since the start.</summary>
    public TimeSpan? LeastMargin { get; init; }
}
