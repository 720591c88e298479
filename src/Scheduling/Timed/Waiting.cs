namespace Holdfast.Scheduling;

/// <summary>How long a thread may sleep.</summary>
internal static class Waiting
{
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    // The system sleeps in whole milliseconds: rounded down, the last one would be spent spinning.
    public static TimeSpan AtMost(TimeSpan wait) =>
        wait >= s_longest ? s_longest : TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds));
}
