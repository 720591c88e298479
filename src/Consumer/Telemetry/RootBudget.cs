namespace Holdfast.Consumer;

/// <summary>
/// How many traces may begin on one queue: a thousand a second, of which a quiet second's are saved up. More would cost more than telemetry may,
/// and an exporter's queue would tear them apart. Any thread.
/// </summary>
internal sealed class RootBudget(Action onShortage)
{
    public const int PerSecond = 1000;

    private const int PerLook = PerSecond / Pacer.LooksPerSecond;

    private int _left = PerSecond;
    private int _wasShort;

    public bool IsLeft
    {
        get
        {
            if (Volatile.Read(ref _left) > 0)
                return true;

            if (Volatile.Read(ref _wasShort) == 0 && Interlocked.Exchange(ref _wasShort, 1) == 0)
                onShortage();
            return false;
        }
    }

    /// <summary>One has begun, and is recorded: what a listener's sampler drops costs no exporter anything.</summary>
    public void Spend() => Interlocked.Decrement(ref _left);

    /// <summary>Told ten times a second.</summary>
    public void Refill()
    {
        if (Volatile.Read(ref _left) <= PerSecond - PerLook)
            Interlocked.Add(ref _left, PerLook);
    }
}
