namespace Holdfast.Broker.InMemory;

/// <summary>Arithmetic on the timestamps of a clock.</summary>
internal static class Timestamps
{
    /// <summary>The timestamp this much later; the end of time where there is none.</summary>
    public static long After(this TimeProvider time, long timestamp, TimeSpan span) =>
        (long)Int128.Min(long.MaxValue, timestamp + (Int128)span.Ticks * time.TimestampFrequency / TimeSpan.TicksPerSecond);
}
