namespace Holdfast.Consumer;

/// <summary>How one failure is treated. Decides only.</summary>
internal readonly record struct RetryTerms(int Immediate, TimeSpan ImmediateDelay, int MaxDeliveries, TimeSpan Delay, TimeSpan MaxDelay, string? DeadLetterReason)
{
    private const double Jitter = 0.25;

    // No lease is as long: whoever waits for it is refused, and sums of waits stay what a time can be.
    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(1);

    /// <summary>Whether the message is to blame, and trying again is of no use.</summary>
    public bool IsHopeless => DeadLetterReason is not null;

    /// <summary>Whether a failure of this delivery puts the message aside.</summary>
    public bool IsLast(int delivery) => IsHopeless || delivery >= MaxDeliveries;

    /// <summary>How often the handler may run for one delivery.</summary>
    public int Attempts => IsHopeless ? 1 : Immediate + 1;

    /// <summary>How long to wait before an immediate retry (0 is the first), a quarter shorter to a quarter longer as <paramref name="random"/> (0 to 1) says.</summary>
    public TimeSpan WaitBefore(int retry, double random) => Doubling.Of(ImmediateDelay, retry, s_longestWait) * (1 - Jitter + (2 * Jitter * random));

    public TimeSpan LongestWaitBefore(int retry) => WaitBefore(retry, 1);

    /// <summary>How long all immediate retries of a delivery wait at most.</summary>
    public TimeSpan LongestWaits()
    {
        var sum = TimeSpan.Zero;
        for (var retry = 0; retry < Attempts - 1; retry++)
            sum += LongestWaitBefore(retry);
        return sum;
    }

    /// <summary>How long the broker keeps the message back after so many deliveries.</summary>
    public TimeSpan DelayAfter(int deliveries) => Doubling.Of(Delay, deliveries - 1, MaxDelay);
}
