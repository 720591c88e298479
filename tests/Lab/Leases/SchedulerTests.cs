using Holdfast.Lab.Leases;

namespace Holdfast.Tests.Lab.Leases;

public sealed class SchedulerTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(seed: 1);
    private readonly List<string> _log = [];

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void First_in_first_out_keeps_the_order()
    {
        var scheduler = new FifoScheduler(_machine, 1);
        RunAll([.. "abc".Select(name => Start(scheduler, () => LogAsync($"{name}")))]);

        Assert.Equal(["a at 0", "b at 1", "c at 2"], _log);
    }

    [Fact]
    public void A_pool_gets_one_more_thread_after_each_time_in_which_work_waits()
    {
        var pool = FifoScheduler.Pool(_machine, new Story { PoolThreads = 1, PoolGrowth = TimeSpan.FromSeconds(0.75) });
        RunAll([.. Enumerable.Range(0, 6).Select(i => Start(pool, () => LogAsync($"{i}")))]);

        Assert.Equal(["0 at 0", "1 at 0.75", "2 at 1", "3 at 1.5", "4 at 1.75", "5 at 2"], _log);
        Assert.Equal(3, pool.Threads);
    }

    [Fact]
    public void Handed_round_the_most_urgent_goes_first_whoever_came_first()
    {
        var scheduler = new FifoScheduler(_machine, 1);
        var order = new HandedRound();
        Urgency[] wanting = [Urgency.Receive, Urgency.Process, Urgency.Receive, Urgency.Refresh, Urgency.Process, Urgency.Refresh];
        RunAll([.. wanting.Select(urgency => Start(scheduler, async () =>
        {
            await order.TakeAsync(urgency);
            await LogAsync($"{urgency}");
        }))]);

        Assert.Equal(["Refresh at 0", "Refresh at 1", "Process at 2", "Process at 3", "Receive at 4", "Receive at 5"], _log);
    }

    private static Task Start(TaskScheduler scheduler, Func<Task> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler).Unwrap();

    private Task LogAsync(string what)
    {
        _log.Add($"{what} at {_machine.Time.GetElapsedTime(0).TotalSeconds:0.##}");
        _machine.Occupy(TimeSpan.FromSeconds(1));
        return Task.CompletedTask;
    }

    private void RunAll(params Task[] all) => _machine.RunTo(Task.WhenAll(all));
}
