namespace Holdfast.Scheduling;

/// <summary>The three lanes, most urgent first. A thread takes nothing from a lane while a more urgent one waits for it.</summary>
public enum Lane
{
    /// <summary>What keeps a lease or ends it: settling, loss.</summary>
    Lease,

    /// <summary>What handles a message: ordered by priority, then by which message started first.</summary>
    Process,

    /// <summary>What takes new messages: only with idle capacity.</summary>
    Receive,
}
