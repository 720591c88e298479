using System.Collections.Concurrent;
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
    public async Task Where_the_system_has_fewer_threads_than_were_asked_for_the_last_of_them_are_kept_all_the_same()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, SystemThreads = 16 }, TimeProvider.System, _log);
        var answer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var all = Enumerable.Range(0, 100).Select(_ => lanes.NewStrand(0, "waits").Run(() => AskAsync().GetAwaiter().GetResult())).ToArray();

        Patience.Take(_log.Scarce);
        answer.SetResult();

        await Task.WhenAll(all).WaitAsync(Patience.Longest);
        Assert.Equal(16, lanes.MaxSpareThreads);

        async Task AskAsync() => await answer.Task;
    }

    [Fact]
    public async Task A_system_that_refuses_a_thread_is_told_of_and_asked_again()
    {
        const int Has = 18;

        // For the watch, and for timed work.
        const int HasBeside = 2;
        var (started, isFull) = (0, true);
        using var lanes = new LaneScheduler(
            new()
            {
                Threads = 2,
                SparePatience = TimeSpan.FromMilliseconds(50),
                Start = thread =>
                {
                    if (++started > Has + HasBeside && Volatile.Read(ref isFull))
                        throw new InsufficientMemoryException();
                    thread.UnsafeStart();
                },
            },
            TimeProvider.System,
            _log);
        using var answer = new ManualResetEvent(false);
        var all = Enumerable.Range(0, 2 * Has).Select(_ => lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)))).ToArray();

        Assert.InRange(Patience.Take(_log.Scarce), Has - 1, Has);
        Volatile.Write(ref isFull, false);
        Patience.SpinUntil(() => lanes.ThreadsBlocked == 2 * Has && !lanes.AreThreadsScarce);

        answer.Set();
        await Task.WhenAll(all).WaitAsync(Patience.Longest);
    }

    [Fact]
    public async Task A_thread_that_blocks_and_can_not_be_replaced_keeps_its_seat()
    {
        // For the lane, the watch, and timed work.
        const int Has = 3;
        var started = 0;
        using var lanes = new LaneScheduler(
            new()
            {
                Threads = 1,
                Start = thread =>
                {
                    if (started++ >= Has)
                        throw new InsufficientMemoryException();
                    thread.UnsafeStart();
                },
            },
            TimeProvider.System,
            _log);
        using var answer = new ManualResetEvent(false);
        var waits = lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)));
        Assert.NotEqual(StandIn.Found, Patience.Take(_log.Blocked).StandIn);

        answer.Set();

        await waits.WaitAsync(Patience.Longest);
        await lanes.NewStrand(0, "next").Run(() => { }).WaitAsync(Patience.Longest);
    }

    [Fact]
    public async Task That_threads_are_scarce_is_told_once_in_a_minute()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 16 }, TimeProvider.System, _log);
        using var answer = new ManualResetEvent(false);
        var all = Enumerable.Range(0, 30).Select(_ => lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)))).ToArray();

        Patience.Take(_log.Scarce);
        for (var look = 0; look < 3; look++)
        {
            // The watch counts turns at the end of each look. Whoever awaited this one might go on inside of it.
            var turns = lanes.Turns;
            var turn = TurnAsync();
            Patience.SpinUntil(() => lanes.Turns > turns);
            await turn;
        }

        Assert.Empty(_log.Scarce);
        answer.Set();
        await Task.WhenAll(all).WaitAsync(Patience.Longest);

        async Task TurnAsync() => await lanes.Turn(Lane.Lease);
    }

    [Theory]
    [InlineData(0, "lane 1 of 2")]
    [InlineData(1, "lane 2 of 2")]
    [InlineData(2, "the watch")]
    [InlineData(3, "timed work")]
    public void Where_the_system_has_no_thread_for_each_it_says_so_at_once_and_leaves_none_behind(int has, string refused)
    {
        List<Thread> started = [];
        var options = new LaneSchedulerOptions
        {
            Threads = 2,
            Start = thread =>
            {
                if (started.Count == has)
                    throw new InsufficientMemoryException();
                thread.UnsafeStart();
                started.Add(thread);
            },
        };

        var told = Assert.Throws<InvalidOperationException>(() => new LaneScheduler(options, TimeProvider.System)).Message;

        Assert.StartsWith($"The system gives no thread for {refused}: ", told);
        Assert.All(started, thread => Assert.True(thread.Join(Patience.Longest)));
    }

    [Fact]
    public async Task Turns_that_come_out_of_their_wait_and_burn_on_are_counted_beside_those_that_have_their_seats()
    {
        const int Turns = 5;
        using var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 8 }, TimeProvider.System, _log);
        using var answer = new ManualResetEvent(false);
        var mayEnd = false;
        var all = Enumerable.Range(0, Turns).Select(_ => lanes.NewStrand(0, "burns").Run(() =>
        {
            Assert.True(answer.WaitOne(Patience.Longest));
            while (!Volatile.Read(ref mayEnd))
            {
            }
        })).ToArray();
        Patience.SpinUntil(() => lanes.ThreadsBlocked == Turns);

        answer.Set();
        Patience.SpinUntil(() => (lanes.TurnsBeyondSeats, lanes.ThreadsBlocked) == (Turns, 0));

        Volatile.Write(ref mayEnd, true);
        await Task.WhenAll(all).WaitAsync(Patience.Longest);
        Patience.SpinUntil(() => lanes.TurnsBeyondSeats == 0);
    }

    [Fact]
    public async Task The_turns_of_a_spare_thread_that_has_left_still_count()
    {
        const int Turns = 100;
        ConcurrentQueue<Thread> threads = [];
        using var lanes = new LaneScheduler(
            new()
            {
                Threads = 1,
                MaxSpareThreads = 8,
                SparePatience = TimeSpan.FromMilliseconds(10),
                Start = thread =>
                {
                    threads.Enqueue(thread);
                    thread.UnsafeStart();
                },
            },
            TimeProvider.System,
            _log);
        using var answer = new ManualResetEvent(false);
        var waits = lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)));
        Patience.SpinUntil(() => lanes.ThreadsBlocked == 1);
        answer.Set();
        await waits;
        Patience.SpinUntil(() => threads.Any(thread => !thread.IsAlive));

        for (var i = 0; i < Turns; i++)
            await lanes.NewStrand(0, "turn").Run(() => { });

        Patience.SpinUntil(() => lanes.Turns == Turns + 1);
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
