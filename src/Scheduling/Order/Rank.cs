namespace Holdfast.Scheduling;

/// <summary>
/// A place in the Process lane, in one number, the least first: by message priority, then started before waiting, then by age. Where turns are taken nobody waits to start, and the age is that of the last turn.
/// </summary>
internal static class Rank
{
    private const int PriorityBits = 54;
    private const long WaitingBit = 1L << 53;

    /// <summary>Before every message that is still being handled.</summary>
    public const long First = long.MinValue;

    /// <summary>What nobody but the first may skip: whatever has waited for too long.</summary>
    public const long Aged = First + 1;

    public const long Last = long.MaxValue;

    /// <summary>A message that was received, and waits to start.</summary>
    public static long Waiting(byte priority, long order) => Started(priority, order) | WaitingBit;

    /// <summary>A message that was started, by its number among all of them; or one of those that take turns, by the number of its last.</summary>
    public static long Started(byte priority, long order) => ((long)(byte.MaxValue - priority) << PriorityBits) | order;
}
