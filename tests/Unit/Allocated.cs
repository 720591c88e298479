namespace Holdfast.Tests.Unit;

/// <summary>What an action allocates on its thread.</summary>
internal static class Allocated
{
    private const int Times = 5;

    /// <summary>
    /// The least of several times: when another thread has all memory collected, what this one had been allotted and not used
    /// (up to 8 KB) may be counted as if it were. What an action really takes, it takes each time.
    /// </summary>
    public static long By(Action act)
    {
        var least = long.MaxValue;
        for (var i = 0; i < Times; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            act();
            least = long.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
