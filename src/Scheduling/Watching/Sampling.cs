namespace Holdfast.Scheduling;

/// <summary>
/// Which turns and waits are measured: all of them at ordinary rates, one in many when they come by the ten thousand a second,
/// so that measuring costs the same whatever the load. Any thread.
/// </summary>
internal sealed class Sampling(ILaneObserver? observer)
{
    private const int MostPerTick = 128;
    private const int Sparsest = 1 << 16;

    [ThreadStatic]
    private static long t_posts;

    private readonly long[] _waits = new long[Enum.GetValues<Lane>().Length];
    private readonly long[] _waited = new long[Enum.GetValues<Lane>().Length];
    private long _mask;

    public ILaneObserver? Observer => observer;

    public bool IsTurnDue(long turn) => observer is not null && (turn & Volatile.Read(ref _mask)) == 0;

    public bool IsPostDue() => observer is not null && (t_posts++ & Volatile.Read(ref _mask)) == 0;

    public void Waited(Lane lane, TimeSpan wait, ILaneObserver observer)
    {
        Interlocked.Increment(ref _waits[(int)lane]);
        Interlocked.Add(ref _waited[(int)lane], wait.Ticks);
        observer.Waited(lane, wait);
    }

    public LaneWaits Waits(Lane lane) => new(Volatile.Read(ref _waits[(int)lane]), new TimeSpan(Volatile.Read(ref _waited[(int)lane])));

    /// <summary>Told by the watch how many turns were run since its last tick.</summary>
    public void Adapt(long turns)
    {
        var every = 1L;
        while (every < Sparsest && turns / every > MostPerTick)
            every <<= 1;
        Volatile.Write(ref _mask, every - 1);
    }
}
