namespace Holdfast.Scheduling;

/// <summary>What became of the seat of a thread that is blocked.</summary>
public enum StandIn
{
    /// <summary>A spare thread has it.</summary>
    Found,

    /// <summary>It stays empty: there are as many spare threads as were allowed.</summary>
    LimitReached,

    /// <summary>It stays empty: the system has no more threads for us.</summary>
    Refused,
}
