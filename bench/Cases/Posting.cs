namespace Holdfast.Bench;

/// <summary>Posts items that were made before, with never more than a few on the way, until the last one has run.</summary>
internal sealed class Posting : IThreadPoolWorkItem
{
    private const int MostOnTheWay = 256;

    private int _ran;

    private Posting() => Run = Execute;

    public Action Run { get; }

    public static Cost Measure(int times, Action<Posting> post)
    {
        var item = new Posting();
        return Cost.OfEach(times, () =>
        {
            for (var posted = 0; posted < times; posted++)
            {
                while (posted - Volatile.Read(ref item._ran) >= MostOnTheWay)
                    Thread.Yield();
                post(item);
            }

            while (Volatile.Read(ref item._ran) < times)
                Thread.Yield();
        });
    }

    public void Execute() => Interlocked.Increment(ref _ran);
}
