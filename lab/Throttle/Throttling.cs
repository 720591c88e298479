namespace Holdfast.Lab.Throttle;

/// <summary>What holds the work back.</summary>
internal enum Throttling
{
    None,
    SchedulerPair,

    /// <summary>The same with one thread of the pool left over.</summary>
    NarrowSchedulerPair,
    Semaphore,
    Lanes,
}
