namespace Holdfast.Scheduling;

/// <summary>A monotonic clock. An instant is the time since the clock's own origin, so that it can be compared and reckoned with.</summary>
public sealed class Clock(TimeProvider time)
{
    public TimeProvider Time { get; } = time;

    public TimeSpan Now => At(Time.GetTimestamp());

    /// <summary>The instant of a <see cref="TimeProvider.GetTimestamp"/>.</summary>
    public TimeSpan At(long timestamp) => Time.GetElapsedTime(0, timestamp);
}
