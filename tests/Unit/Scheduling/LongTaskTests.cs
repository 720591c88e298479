using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class LongTaskTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_task_that_is_to_run_long_takes_no_seat()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 0 }, TimeProvider.System);
        var strand = lanes.NewStrand(0, "a");
        using var end = new ManualResetEventSlim();
        Task loop = Task.CompletedTask;

        await strand.Run(() => { loop = Task.Factory.StartNew(end.Wait, TaskCreationOptions.LongRunning); }).WaitAsync(s_patience);
        await strand.Run(() => { }).WaitAsync(s_patience);
        Assert.False(loop.IsCompleted);

        end.Set();
        await loop.WaitAsync(s_patience);
    }

    [Fact]
    public async Task It_has_a_thread_of_its_own_and_the_context_of_who_started_it()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1 }, TimeProvider.System);
        var local = new AsyncLocal<string?>();
        (string?, bool, string?) seen = default;

        await lanes.NewStrand(0, "a").Run(() =>
        {
            local.Value = "of the handler";
            return Task.Factory.StartNew(() => seen = (Thread.CurrentThread.Name, Thread.CurrentThread.IsBackground, local.Value), TaskCreationOptions.LongRunning);
        }).WaitAsync(s_patience);

        Assert.Equal(("holdfast-long-task", true, "of the handler"), seen);
    }
}
