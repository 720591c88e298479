namespace Holdfast.Scheduling;

/// <summary>Hands work to the .NET pool, which may have no thread for it: then it runs once one comes back, and whoever hands it over goes on. Any thread.</summary>
public static class PoolQueue
{
    public static void Add<TState>(Action<TState> work, TState state)
    {
        try
        {
            ThreadPool.UnsafeQueueUserWorkItem(work, state, preferLocal: false);
        }
        catch (OutOfMemoryException)
        {
            // It is queued; what failed is to start one more thread.
        }
    }
}
