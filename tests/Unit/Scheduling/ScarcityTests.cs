using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>So many turns block that threads are scarce, on real threads.</summary>
public sealed class ScarcityTests
{
    private readonly LaneLog _log = new();

    [Fact]
    public async Task Who_waits_in_place_for_work_of_his_own_gets_a_thread_for_it_however_many_wait()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 16 }, TimeProvider.System, _log);
        var answer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var begun = 0;

        var all = Enumerable.Range(0, 100).Select(_ => lanes.NewStrand(0, "waits").Run(() =>
        {
            Interlocked.Increment(ref begun);
            AskAsync().GetAwaiter().GetResult();
        })).ToArray();
        Patience.SpinUntil(() => lanes.AreThreadsScarce || Volatile.Read(ref begun) == 18);
        await SettleAsync().WaitAsync(Patience.Longest);
        answer.SetResult();

        await Task.WhenAll(all).WaitAsync(Patience.Longest);

        async Task AskAsync() => await answer.Task;

        async Task SettleAsync() => await lanes.Turn(Lane.Lease);
    }

    [Fact]
    public async Task Who_has_begun_and_awaits_goes_on_though_others_block_who_wait_for_him()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 16 }, TimeProvider.System, _log);
        var io = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var held = new ManualResetEvent(false);
        var holder = lanes.NewStrand(0, "holds").Run(async () =>
        {
            await io.Task;
            held.Set();
        });
        var all = Enumerable.Range(0, 100).Select(_ => lanes.NewStrand(0, "waits").Run(() => Assert.True(held.WaitOne(Patience.Longest)))).ToArray();

        // As many as will be: a watch that has told of scarcity has seen all who had begun before.
        Patience.Take(_log.Scarce);
        Assert.False(holder.IsCompleted);
        io.SetResult();

        await Task.WhenAll([holder, .. all]).WaitAsync(Patience.Longest);
    }

    [Fact]
    public async Task The_last_thread_settles_though_all_others_are_blocked_for_good()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 16 }, TimeProvider.System, _log);
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var answer = new ManualResetEvent(false);
        var begun = 0;

        // All of them have begun before any blocks.
        var all = Enumerable.Range(0, 100).Select(_ => lanes.NewStrand(0, "waits").Run(async () =>
        {
            Interlocked.Increment(ref begun);
            await go.Task;
            Assert.True(answer.WaitOne(Patience.Longest));
        })).ToArray();
        Patience.SpinUntil(() => Volatile.Read(ref begun) == 100);
        go.SetResult();
        Patience.SpinUntil(() => lanes.ThreadsBlocked >= 14);

        for (var i = 0; i < 1_000; i++)
            await TurnAsync().WaitAsync(Patience.Longest);

        answer.Set();
        await Task.WhenAll(all).WaitAsync(Patience.Longest);

        async Task TurnAsync() => await lanes.Turn(Lane.Lease);
    }

    [Fact]
    public async Task Where_threads_are_scarce_nothing_new_is_begun_until_they_are_not()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 16 }, TimeProvider.System, _log);
        using var answer = new ManualResetEvent(false);
        var all = Enumerable.Range(0, 30).Select(_ => lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)))).ToArray();
        Patience.SpinUntil(() => lanes.AreThreadsScarce);

        var next = lanes.NewStrand(9, "next").Run(() => { });
        for (var i = 0; i < 100; i++)
            await TurnAsync();

        Assert.False(next.IsCompleted);
        Assert.InRange(Patience.Take(_log.Scarce), 1, 18);
        answer.Set();
        await Task.WhenAll([next, .. all]).WaitAsync(Patience.Longest);
        Patience.SpinUntil(() => !lanes.AreThreadsScarce);

        async Task TurnAsync() => await lanes.Turn(Lane.Lease);
    }
}
