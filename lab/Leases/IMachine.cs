using Holdfast.Scheduling;

namespace Holdfast.Lab.Leases;

/// <summary>Where a run's clock and threads come from: they are this machine's, or virtual.</summary>
internal interface IMachine : IDisposable
{
    TimeProvider Time { get; }

    /// <summary>Holds the calling thread for that long: a turn's CPU.</summary>
    void Occupy(TimeSpan time);

    /// <summary>Waits for that long, as exactly as the machine's timers do.</summary>
    Task PauseAsync(TimeSpan time);

    /// <summary>Starts a thread that runs a step each time it is woken, and again while that returns true. Returns what wakes it.</summary>
    Action NewThread(string name, Func<bool> step);

    /// <summary>The thread pool that comes with the machine, and that nobody else uses; a virtual machine makes one like the published.</summary>
    TaskScheduler OwnPool(Story story);

    LaneScheduler NewLanes(LaneSchedulerOptions options);

    /// <summary>Lets everything go on until that has ended.</summary>
    void RunTo(Task end);
}
