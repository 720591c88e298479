namespace Holdfast.Scheduling;

/// <summary>
/// How many threads the engines of this process want its pool to have ready. The largest wish counts, and once there is none what was set before.
/// Whoever else sets that meanwhile has the last word: all wishes until then are void. Any thread.
/// </summary>
internal sealed class PoolWishes
{
    private readonly Lock _gate = new();
    private readonly Dictionary<DotNetPool, int> _wishes = [];
    private int _before;
    private int _set;

    public static PoolWishes OfProcess { get; } = new();

    /// <summary>False where the pool has as many without any wish.</summary>
    public bool TryAdd(DotNetPool whose, int threads)
    {
        lock (_gate)
        {
            HeedOthers();
            if (threads <= _before)
                return false;

            _wishes[whose] = threads;
            if (Most <= _set || TrySet(Most))
                return true;
            _wishes.Remove(whose);
            return false;
        }
    }

    /// <summary>False, and the wish stays, while more threads are at work than there would be without it.</summary>
    public bool TryRemove(DotNetPool whose) => TryRemove(whose, evenIfAtWork: false);

    /// <summary>Whatever is at work.</summary>
    public void Remove(DotNetPool whose) => TryRemove(whose, evenIfAtWork: true);

    private int Most => _wishes.Values.Append(_before).Max();

    private bool TryRemove(DotNetPool whose, bool evenIfAtWork)
    {
        lock (_gate)
        {
            HeedOthers();
            if (!_wishes.Remove(whose, out var wish) || Most == _set)
                return true;

            ThreadPool.GetMaxThreads(out var most, out var mostPorts);
            ThreadPool.GetAvailableThreads(out var available, out _);
            var areAtWork = most - available > Most;
            if (areAtWork && !evenIfAtWork)
            {
                _wishes[whose] = wish;
                return false;
            }

            // By its least alone it would not fall: it goes on with as many as it had. Its most makes it, and is what it was a moment later.
            TrySet(Most);
            if (!areAtWork && ThreadPool.SetMaxThreads(_set, mostPorts))
                ThreadPool.SetMaxThreads(most, mostPorts);
            return true;
        }
    }

    private void HeedOthers()
    {
        ThreadPool.GetMinThreads(out var least, out _);
        if (_wishes.Count > 0 && least == _set)
            return;

        _wishes.Clear();
        _before = _set = least;
    }

    private bool TrySet(int threads)
    {
        ThreadPool.GetMinThreads(out _, out var leastPorts);
        if (!ThreadPool.SetMinThreads(threads, leastPorts))
            return false;
        _set = threads;
        return true;
    }
}
