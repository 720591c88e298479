namespace Holdfast.Broker.RabbitMq;

/// <summary>How long a receiver's intakes go between two looks at a queue that sends nothing: longer each time that a new intake was opened in vain. Any thread.</summary>
internal sealed class DroughtPatience
{
    private static readonly TimeSpan s_least = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_most = TimeSpan.FromHours(1);

    private long _ticks = s_least.Ticks;

    public TimeSpan Length => new(Volatile.Read(ref _ticks));

    public void Lengthen() => Volatile.Write(ref _ticks, Math.Min(Length.Ticks * 2, s_most.Ticks));

    /// <summary>False where it is as short as can be.</summary>
    public bool TryRestore()
    {
        if (Length == s_least)
            return false;

        Volatile.Write(ref _ticks, s_least.Ticks);
        return true;
    }
}
