using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Lab.Leases;

/// <summary>A virtual machine with as many cores as its threads can use: so threads are scarce, as they were when it was published, and cores are not.</summary>
internal sealed class SimulatedMachine : IMachine
{
    // Between these are a real machine's timers, while it is not overloaded: .NET times them by a clock that Linux moves on every 4 ms.
    // The few that are early matter: with them a turn is ready just before another ends, and admission sees one more wait.
    private static readonly TimeSpan s_earliest = TimeSpan.FromMilliseconds(-0.5);
    private static readonly TimeSpan s_latest = TimeSpan.FromMilliseconds(4.5);
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(365);

    private readonly VirtualMachine _machine = new();
    private readonly VirtualProcess _process;
    private readonly SeededChance _chance;

    public SimulatedMachine(int seed)
    {
        _chance = new(seed);
        _process = _machine.NewProcess();
    }

    public TimeProvider Time => _process.Time;

    public void Occupy(TimeSpan time) => _machine.Burn(time);

    // Not by Task.Delay, which knows whole milliseconds only.
    public Task PauseAsync(TimeSpan time)
    {
        var end = new TaskCompletionSource();
        Time.CreateTimer(static end => ((TaskCompletionSource)end!).SetResult(), end, time + s_earliest + ((s_latest - s_earliest) * _chance.Next()), Timeout.InfiniteTimeSpan);
        return end.Task;
    }

    public Action NewThread(string name, Func<bool> step) => _process.NewHand(name, step).Wake;

    public TaskScheduler OwnPool(Story story) => FifoScheduler.Pool(this, story);

    public LaneScheduler NewLanes(LaneSchedulerOptions options) => new VirtualLanes(_process, options).Scheduler;

    public void RunTo(Task end)
    {
        if (!_machine.RunUntil(() => end.IsCompleted, s_longest))
            throw new InvalidOperationException("Nothing happens any more, and it has not ended.");
        end.GetAwaiter().GetResult();
    }

    public void Dispose() => _machine.Dispose();
}
