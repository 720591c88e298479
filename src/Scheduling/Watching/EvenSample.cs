namespace Holdfast.Scheduling;

/// <summary>One in many of what comes, evenly over them all, whoever takes turns and in whatever pattern. Decides only.</summary>
public static class EvenSample
{
    // The golden ratio's part of 2^32: wherever one begins to count, its multiples fall evenly into it.
    private const uint Step = 0x9E37_79B9;

    /// <summary>Whether the one of that number is the one in every so many.</summary>
    public static bool Includes(uint number, int every) => (ulong)(number * Step) * (uint)every <= uint.MaxValue;
}
