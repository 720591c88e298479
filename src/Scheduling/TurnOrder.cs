namespace Holdfast.Scheduling;

/// <summary>Whose turn is next in the Process lane, among messages of the same priority.</summary>
public enum TurnOrder
{
    /// <summary>Finish first what was started first, and start nothing that waits before: each message is held for as short a time as can be.</summary>
    StartedFirst,

    /// <summary>In turns, whoever had the last one longest ago, and a new message since it came: none waits for long behind others that take long, and all of them are held for longer.</summary>
    RoundRobin,
}
