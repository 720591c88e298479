namespace Holdfast.Consumer;

/// <summary>A time that is twice as long each time, up to a limit. Decides only.</summary>
internal static class Doubling
{
    private const int Most = 30;

    public static TimeSpan Of(TimeSpan first, int times, TimeSpan longest)
    {
        // In seconds, where nothing overflows.
        var seconds = first.TotalSeconds * (1L << Math.Clamp(times, 0, Most));
        return seconds < longest.TotalSeconds ? TimeSpan.FromSeconds(seconds) : longest;
    }
}
