namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// How long a receiver rests before its next intake: longer each time that one ended soon after it was opened, by what a message may be behind that can't be
/// handed out. What came before that message is handed out anew each time, and lost with its connection: without a rest its deliveries would soon be used up.
/// Any thread.
/// </summary>
internal sealed class ShortLives(TimeProvider time)
{
    private static readonly TimeSpan s_short = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_firstRest = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longestRest = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();
    private TimeSpan _rest;
    private long _endedAt;

    /// <summary>What is left of the rest. Whoever has waited since then for reasons of his own need not do so again.</summary>
    public TimeSpan Left
    {
        get
        {
            lock (_gate)
                return _rest - time.GetElapsedTime(_endedAt) is { Ticks: > 0 } left ? left : TimeSpan.Zero;
        }
    }

    /// <summary>An intake has ended.</summary>
    /// <param name="openedAt">When it was opened.</param>
    /// <param name="isPerhapsForMessage">Whether a message may be behind it.</param>
    public void Note(long openedAt, bool isPerhapsForMessage)
    {
        lock (_gate)
        {
            if (time.GetElapsedTime(openedAt) >= s_short)
                _rest = TimeSpan.Zero;
            else if (isPerhapsForMessage)
                (_rest, _endedAt) = (Longer(_rest), time.GetTimestamp());
        }
    }

    private static TimeSpan Longer(TimeSpan rest)
    {
        var longer = rest == TimeSpan.Zero ? s_firstRest : rest * 2;
        return longer < s_longestRest ? longer : s_longestRest;
    }
}
