using System.Collections.Concurrent;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class WorkerThreadTests
{
    private readonly LaneLog _log = new();

    [Fact]
    public async Task Never_more_turns_at_once_than_threads_and_never_on_the_pool()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var (running, most, onPool) = (0, 0, 0);

        await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => lanes.NewStrand(0, "a").Run(Turns))).WaitAsync(Patience.Longest);

        Assert.InRange(most, 1, 2);
        Assert.Equal(0, onPool);

        async Task Turns()
        {
            for (var i = 0; i < 50; i++)
            {
                var now = Interlocked.Increment(ref running);
                InterlockedMax(ref most, now);
                if (Thread.CurrentThread.IsThreadPoolThread)
                    Interlocked.Increment(ref onPool);
                Thread.SpinWait(2000);
                Interlocked.Decrement(ref running);
                await Task.Yield();
            }
        }
    }

    [Fact]
    public async Task Both_of_two_threads_are_used()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2, MaxSpareThreads = 0 }, TimeProvider.System);
        using var meeting = new Barrier(2);

        var both = Enumerable.Range(0, 2).Select(_ => lanes.NewStrand(0, "a").Run(() => Assert.True(meeting.SignalAndWait(Patience.Longest)))).ToArray();

        await Task.WhenAll(both).WaitAsync(Patience.Longest);
    }

    [Fact]
    public async Task Threads_that_are_ready_while_others_have_the_cpu_are_known_to_have_waited()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount < LaneSchedulerOptions.MostThreads, "only Linux tells, and only threads beyond its CPUs are sure to wait");
        using var lanes = new LaneScheduler(new() { Threads = LaneSchedulerOptions.MostThreads }, TimeProvider.System);
        Assert.Equal(TimeSpan.Zero, LaneScheduler.ByHand(TimeProvider.System).WaitForCpu);

        await Task.WhenAll(Enumerable.Range(0, lanes.Threads).Select(_ => lanes.NewStrand(0, "a").Run(Burn))).WaitAsync(Patience.Longest);

        void Burn()
        {
            while (lanes.WaitForCpu < TimeSpan.FromMilliseconds(50))
            {
            }
        }
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 3)]
    [InlineData(3, 2)]
    public async Task Every_post_runs_exactly_once_however_posts_and_parking_race(int threads, int posters)
    {
        const int Rounds = 1500, PostsEach = 3;
        using var lanes = new LaneScheduler(new() { Threads = threads }, TimeProvider.System);
        var runs = new int[Rounds, posters * PostsEach];
        using var done = new AutoResetEvent(false);
        using var start = new Barrier(posters + 1);
        var left = 0;
        var crowd = Enumerable.Range(0, posters).Select(poster => new Thread(() => Post(poster)) { IsBackground = true }).ToList();
        crowd.ForEach(thread => thread.Start());

        // Each round ends with all workers on their way to sleep, and the next one begins somewhere on that way.
        for (var round = 0; round < Rounds; round++)
        {
            Volatile.Write(ref left, posters * PostsEach);
            start.SignalAndWait();
            Assert.True(done.WaitOne(Patience.Longest));
            Thread.SpinWait(round % 300);
        }

        Assert.All(runs.Cast<int>(), count => Assert.Equal(1, count));

        void Post(int poster)
        {
            for (var round = 0; round < Rounds; round++)
            {
                start.SignalAndWait();
                for (var i = 0; i < PostsEach; i++)
                    Count(round, (poster * PostsEach) + i, (Lane)i);
            }
        }

        void Count(int round, int post, Lane lane) => lanes.Post(lane, () =>
        {
            Interlocked.Increment(ref runs[round, post]);
            if (Interlocked.Decrement(ref left) == 0)
                done.Set();
        });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_single_thread_on_its_way_to_sleep_does_not_sleep_through_a_wake_of_timed_work(int look)
    {
        var time = new HookedTime();
        using var lanes = new LaneScheduler(new() { SingleThread = true }, time);
        using var ran = new AutoResetEvent(false);
        lanes.Add(new TimedWork(now =>
        {
            ran.Set();
            return now + TimeSpan.FromHours(1);
        }));
        Assert.True(ran.WaitOne(Patience.Longest));

        // It looks at the clock before it looks for an item, and again when it makes up its mind how long to sleep.
        await lanes.NewStrand(0, "a").Run(() => time.OnLook(look, lanes.WakeTimedWork)).WaitAsync(Patience.Longest);

        Assert.True(ran.WaitOne(Patience.Longest));
    }

    [Fact]
    public async Task A_blocked_thread_is_replaced_so_that_what_it_waits_for_can_run()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1 }, TimeProvider.System, _log);
        using var answer = new AutoResetEvent(false);

        var waiting = lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)));
        _ = lanes.NewStrand(0, "answers").Run(() => answer.Set());

        await waiting.WaitAsync(Patience.Longest);
        var (turn, standIn) = _log.Blocked.Take();
        Assert.Equal(("waits", Lane.Process, StandIn.Found), (turn.Name, turn.Lane, standIn));
        Assert.StartsWith("holdfast-worker-", turn.Thread, StringComparison.Ordinal);
    }

    [Fact]
    public async Task No_more_threads_are_replaced_than_may_be()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 2 }, TimeProvider.System, _log);
        using var answer = new ManualResetEvent(false);
        var begun = 0;

        var waiting = Enumerable.Range(0, 4).Select(_ => lanes.NewStrand(0, "waits").Run(() =>
        {
            Interlocked.Increment(ref begun);
            Assert.True(answer.WaitOne(Patience.Longest));
        })).ToArray();

        Assert.Equal([StandIn.Found, StandIn.Found, StandIn.LimitReached], Enumerable.Range(0, 3).Select(_ => Patience.Take(_log.Blocked).StandIn));
        Assert.Equal(3, Volatile.Read(ref begun));

        // The watch counts at the end of a look, and told of the third one in the middle of one.
        Assert.InRange(lanes.ThreadsBlocked, 2, 3);
        answer.Set();
        await Task.WhenAll(waiting).WaitAsync(Patience.Longest);
    }

    [Fact]
    public async Task A_thread_that_came_out_of_its_wait_stands_in_for_the_next_one()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 1 }, TimeProvider.System, _log);
        using var answer = new AutoResetEvent(false);
        var threads = new ConcurrentDictionary<Thread, bool>();

        for (var i = 0; i < 5; i++)
        {
            var waiting = lanes.NewStrand(0, "waits").Run(() =>
            {
                threads.TryAdd(Thread.CurrentThread, true);
                Assert.True(answer.WaitOne(Patience.Longest));
            });
            _ = lanes.NewStrand(0, "answers").Run(() => answer.Set());
            await waiting.WaitAsync(Patience.Longest);
        }

        Assert.InRange(threads.Count, 1, 2);
    }

    [Fact]
    public async Task What_a_thread_keeps_for_its_next_turn_does_not_wait_for_the_end_of_a_long_one()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var (begun, over) = (false, false);
        var busy = Task.WhenAll(Enumerable.Range(0, 3).Select(_ => lanes.NewStrand(0, "busy").Run(async () =>
        {
            Volatile.Write(ref begun, true);
            while (!Volatile.Read(ref over))
                await Task.Yield();
        })));
        var strand = lanes.NewStrand(9, "a");

        var ran = false;
        var turn = strand.Run(async () =>
        {
            Patience.SpinUntil(() => Volatile.Read(ref begun));
            await Task.Yield();
            _ = strand.Run(() => Volatile.Write(ref ran, true));
            Patience.SpinUntil(() => Volatile.Read(ref ran));
        });

        await turn.WaitAsync(Patience.Longest);
        Volatile.Write(ref over, true);
        await busy.WaitAsync(Patience.Longest);
    }

    [Fact]
    public void Timed_work_has_a_thread_of_its_own_and_is_woken_however_it_races()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1 }, TimeProvider.System);
        Assert.Equal("holdfast-lease", WakeManyTimes(lanes));
    }

    [Fact]
    public void A_single_thread_runs_timed_work_in_place_and_is_woken_however_it_races()
    {
        using var lanes = new LaneScheduler(new() { SingleThread = true }, TimeProvider.System);
        Assert.Equal("holdfast-worker-1", WakeManyTimes(lanes));
    }

    [Fact]
    public void A_single_thread_sleeps_no_longer_than_until_timed_work_is_due()
    {
        using var lanes = new LaneScheduler(new() { SingleThread = true }, TimeProvider.System);
        using var thrice = new CountdownEvent(3);
        lanes.Add(new TimedWork(now =>
        {
            if (!thrice.IsSet)
                thrice.Signal();
            return thrice.IsSet ? TimeSpan.MaxValue : now + TimeSpan.FromMilliseconds(20);
        }));

        Assert.True(thrice.Wait(Patience.Longest));
    }

    private static string? WakeManyTimes(LaneScheduler lanes)
    {
        using var ran = new AutoResetEvent(false);
        string? thread = null;
        lanes.Add(new TimedWork(_ =>
        {
            thread = Thread.CurrentThread.Name;
            ran.Set();
            return TimeSpan.MaxValue;
        }));
        Assert.True(ran.WaitOne(Patience.Longest));

        for (var i = 0; i < 3000; i++)
        {
            lanes.WakeTimedWork();
            Assert.True(ran.WaitOne(Patience.Longest));
            Thread.SpinWait(i % 300);
        }

        return thread;
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var seen = Volatile.Read(ref most); value > seen;)
            seen = Interlocked.CompareExchange(ref most, value, seen);
    }
}
