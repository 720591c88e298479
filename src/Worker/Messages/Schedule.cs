namespace Holdfast.Worker.Messages;

/// <summary>Spreads messages evenly over time. What could not be sent in time is caught up on, but never more than a second of it.</summary>
internal sealed class Schedule(double perSecond, TimeProvider time)
{
    private static readonly TimeSpan s_mostCaughtUp = TimeSpan.FromSeconds(1);

    private readonly long _start = time.GetTimestamp();
    private double _due;

    /// <summary>How long to wait for the next message's turn.</summary>
    public TimeSpan UntilNext()
    {
        var now = time.GetElapsedTime(_start).TotalSeconds;
        _due = Math.Max(_due + (1 / perSecond), now - s_mostCaughtUp.TotalSeconds);
        return TimeSpan.FromSeconds(Math.Max(0, _due - now));
    }
}
