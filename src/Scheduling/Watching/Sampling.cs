namespace Holdfast.Scheduling;

/// <summary>
/// Which turns and waits are measured: all of them while they are few, one in many when they come by the thousand a second, and that one counts for all,
/// so that measuring costs the same whatever the load. Any thread.
/// </summary>
internal sealed class Sampling(ILaneObserver? observer)
{
    private const int MostPerTick = 128;

    [ThreadStatic]
    private static uint t_posts;

    private readonly long[] _waits = new long[Enum.GetValues<Lane>().Length];
    private readonly long[] _waited = new long[Enum.GetValues<Lane>().Length];
    private int _every = 1;

    public ILaneObserver? Observer => observer;

    /// <summary>For how many that turn of its thread counts; 0 where it is not measured.</summary>
    public int TurnWeight(long turn) => WeightOf((uint)turn);

    /// <summary>For how many the calling thread's next post counts; 0 where its wait is not measured.</summary>
    public int PostWeight() => observer is null ? 0 : WeightOf(++t_posts);

    public void Waited(Lane lane, TimeSpan wait, int weight, ILaneObserver observer)
    {
        Interlocked.Increment(ref _waits[(int)lane]);
        Interlocked.Add(ref _waited[(int)lane], wait.Ticks);
        observer.Waited(lane, wait, weight);
    }

    public LaneWaits Waits(Lane lane) => new(Volatile.Read(ref _waits[(int)lane]), new TimeSpan(Volatile.Read(ref _waited[(int)lane])));

    /// <summary>Told by the watch how many turns were run since its last tick.</summary>
    public void Adapt(long turns)
    {
        var every = 1;
        if (observer is not { WantsEach: true })
        {
            while (every < Postmark.Heaviest && turns / every > MostPerTick)
                every <<= 1;
        }

        Volatile.Write(ref _every, every);
    }

    private int WeightOf(uint number)
    {
        var every = Volatile.Read(ref _every);
        return EvenSample.Includes(number, every) ? every : 0;
    }
}
