using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>Burns CPU and allocates, so that the garbage collector runs a set number of times in a second.</summary>
internal sealed class Garbage
{
    private const double CollectionsPerSecond = 20;
    private const int ObjectSize = 1024;
    private const int Kept = 20_000;

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly int _collected = GC.CollectionCount(0);

    // Some of it survives: a collection that finds nothing alive would be too short to be like real ones.
    private readonly byte[][] _kept = new byte[Kept][];
    private int _next;

    public void MakeFor(TimeSpan time)
    {
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            if (IsBehind)
                _kept[(uint)Interlocked.Increment(ref _next) % Kept] = new byte[ObjectSize];
            else
                Burn.Work(microseconds: 5);
        }
    }

    private bool IsBehind => GC.CollectionCount(0) - _collected < Stopwatch.GetElapsedTime(_start).TotalSeconds * CollectionsPerSecond;
}
