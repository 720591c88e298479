namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How long to wait between attempts: it grows slowly, because leases burn meanwhile, and differs from worker to worker, because all of them lost the broker together.
/// </summary>
internal sealed class Backoff(Func<double> random)
{
    private const double Growth = 1.5;
    private const double Jitter = 0.25;

    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);

    private TimeSpan _wait = s_first;

    /// <summary>The wait before the next attempt, after one that failed.</summary>
    public TimeSpan Next()
    {
        var wait = _wait * (1 - (Jitter * random()));
        _wait = _wait * Growth < s_longest ? _wait * Growth : s_longest;
        return wait;
    }

    /// <summary>An attempt has succeeded.</summary>
    public void Reset() => _wait = s_first;
}
