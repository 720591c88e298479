namespace Holdfast.Scheduling;

/// <summary>The pool of this process, as one of the engines in it uses it: raises it to what that needs, and takes back what it has wished.</summary>
internal sealed class DotNetPool(int workerThreads, int handlers) : IPool
{
    private const int MostThreads = 1024;

    // The global queue, because that is where the sockets' completions wait.
    public void Queue(IThreadPoolWorkItem item) => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);

    public bool TryRaise()
    {
        ThreadPool.GetMaxThreads(out var most, out _);
        return PoolWishes.OfProcess.TryAdd(this, Math.Min(Math.Min(most, ThreadLimit.ForEach), LeastThreads(workerThreads, handlers)));
    }

    public bool TryLower() => PoolWishes.OfProcess.TryRemove(this);

    public void Lower() => PoolWishes.OfProcess.Remove(this);

    /// <summary>One for each handler whose work may leave for the pool, and some for the brokers' clients beside them.</summary>
    internal static int LeastThreads(int workerThreads, int handlers) =>
        (int)Math.Min(MostThreads, Math.Max(Math.Max(32, 8L * workerThreads), handlers + 32L));
}
