namespace Holdfast.Scheduling;

/// <summary>The pool of this process. Several engines may share it: each raises it to what it needs, and puts back only what it has raised.</summary>
internal sealed class DotNetPool(int workerThreads, int handlers) : IPool
{
    private const int MostThreads = 1024;

    private int _before;
    private int _raised;

    // The global queue, because that is where the sockets' completions wait.
    public void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    public bool TryRaise()
    {
        ThreadPool.GetMinThreads(out var least, out var leastPorts);
        ThreadPool.GetMaxThreads(out var most, out _);
        var wanted = Math.Min(Math.Min(most, ThreadLimit.ForEach), LeastThreads(workerThreads, handlers));
        if (wanted <= least || !ThreadPool.SetMinThreads(wanted, leastPorts))
            return false;

        (_before, _raised) = (least, wanted);
        return true;
    }

    public bool TryLower()
    {
        ThreadPool.GetMinThreads(out var least, out var leastPorts);
        if (least != _raised)
            return true;

        ThreadPool.GetMaxThreads(out var most, out var mostPorts);
        ThreadPool.GetAvailableThreads(out var available, out _);
        if (most - available > _before)
            return false;

        // By its least alone it would not fall: it goes on with as many as it had. Its most makes it, and is what it was a moment later.
        ThreadPool.SetMinThreads(_before, leastPorts);
        ThreadPool.SetMaxThreads(_before, mostPorts);
        ThreadPool.SetMaxThreads(most, mostPorts);
        return true;
    }

    /// <summary>One for each handler whose work may leave for the pool, and some for the brokers' clients beside them.</summary>
    internal static int LeastThreads(int workerThreads, int handlers) =>
        (int)Math.Min(MostThreads, Math.Max(Math.Max(32, 8L * workerThreads), handlers + 32L));
}
