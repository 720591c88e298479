namespace Holdfast.Scheduling;

/// <summary>The .NET pool, as its guard sees it. One caller at a time.</summary>
internal interface IPool
{
    void Queue(IThreadPoolWorkItem item);

    /// <summary>From now on each piece of work gets a thread at once, up to a number. False where that is so already.</summary>
    bool TryRaise();

    /// <summary>Back to the threads that it had before. False while more than those are at work.</summary>
    bool TryLower();

    /// <summary>The same, whatever is at work: for who raises it no more.</summary>
    void Lower();
}
