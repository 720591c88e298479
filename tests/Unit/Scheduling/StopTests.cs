using System.Collections.Concurrent;
using System.Diagnostics;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class StopTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly ConcurrentDictionary<Thread, bool> _threads = new();

    [Fact]
    public async Task What_was_queued_and_what_comes_later_runs_on_the_pool()
    {
        var lanes = LaneScheduler.ByHand(new VirtualTime());
        var strand = lanes.NewStrand(0, "a");
        List<Task<bool>> all = [.. Enumerable.Range(0, 3).Select(_ => Continue(strand)), Enter(Lane.Lease), Enter(Lane.Receive)];
        Assert.Equal(0, all.Count(task => task.IsCompleted));

        Assert.Empty(lanes.Stop(TimeSpan.Zero));
        all.AddRange([Continue(strand), Continue(lanes.NewStrand(9, "b")), Enter(Lane.Lease), Enter(Lane.Receive)]);

        Assert.All(await Task.WhenAll(all).WaitAsync(s_patience), Assert.True);

        async Task<bool> Enter(Lane lane)
        {
            await lanes.Turn(lane);
            return Thread.CurrentThread.IsThreadPoolThread;
        }

        static Task<bool> Continue(Strand strand)
        {
            var result = new TaskCompletionSource<bool>();
            strand.Run(async () =>
            {
                await Task.Yield();
                result.SetResult(Thread.CurrentThread.IsThreadPoolThread && TaskScheduler.Current == strand);
            });
            return result.Task;
        }
    }

    [Fact]
    public async Task What_is_queued_is_finished_first()
    {
        var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var all = Enumerable.Range(0, 100).Select(_ => lanes.NewStrand(0, "a").Run(async () =>
        {
            for (var i = 0; i < 100; i++)
                await Task.Yield();
            Assert.False(Thread.CurrentThread.IsThreadPoolThread);
        })).ToArray();

        Assert.Empty(lanes.Stop(s_patience));

        await Task.WhenAll(all).WaitAsync(s_patience);
    }

    [Fact]
    public async Task No_thread_is_left()
    {
        var lanes = new LaneScheduler(new() { Threads = 2, LongTurn = TimeSpan.FromMilliseconds(1) }, TimeProvider.System, new ThreadLog(NoteThread));
        using var timed = new ManualResetEvent(false);
        using var answer = new ManualResetEvent(false);
        lanes.Add(new TimedWork(_ =>
        {
            NoteThread();
            timed.Set();
            Burn(TimeSpan.FromMilliseconds(50));
            return TimeSpan.MaxValue;
        }));
        var waiting = Enumerable.Range(0, 5).Select(i => lanes.NewStrand(0, "waits").Run(() =>
        {
            NoteThread();
            if (i == 4)
                answer.Set();
            Assert.True(answer.WaitOne(s_patience));
        })).ToArray();
        await Task.WhenAll(waiting).WaitAsync(s_patience);
        Assert.True(timed.WaitOne(s_patience));
        timed.Reset();
        lanes.WakeTimedWork();
        Assert.True(timed.WaitOne(s_patience));

        Assert.Empty(lanes.Stop(s_patience));

        Assert.Contains(_threads.Keys, thread => thread.Name == "holdfast-lease");
        Assert.Contains(_threads.Keys, thread => thread.Name == "holdfast-watch");
        Assert.InRange(_threads.Keys.Count(thread => thread.Name!.StartsWith("holdfast-worker", StringComparison.Ordinal)), 4, 7);
        Assert.DoesNotContain(_threads.Keys, thread => thread.IsAlive);
    }

    [Fact]
    public async Task The_turns_still_running_at_the_deadline_are_named_and_nothing_behind_them_is_lost()
    {
        var lanes = new LaneScheduler(new() { Threads = 1, MaxSpareThreads = 0 }, TimeProvider.System);
        using var begun = new ManualResetEvent(false);
        using var answer = new ManualResetEvent(false);
        var stuck = lanes.NewStrand(0, "stuck").Run(async () =>
        {
            begun.Set();
            Assert.True(answer.WaitOne(s_patience));
            await Task.Yield();
        });
        var behind = lanes.NewStrand(0, "behind").Run(() => { });
        Assert.True(begun.WaitOne(s_patience));

        Assert.Equal(["stuck"], lanes.Stop(TimeSpan.FromMilliseconds(1)));

        await behind.WaitAsync(s_patience);
        answer.Set();
        await stuck.WaitAsync(s_patience);
    }

    [Fact]
    public void It_may_be_called_from_several_threads_and_again()
    {
        var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var stoppers = Enumerable.Range(0, 4).Select(_ => new Thread(() => lanes.Stop(s_patience))).ToList();

        stoppers.ForEach(stopper => stopper.Start());

        Assert.All(stoppers, stopper => Assert.True(stopper.Join(s_patience)));
        Assert.Empty(lanes.Stop(s_patience));
    }

    [Theory]
    [InlineData("holdfast-worker-1")]
    [InlineData("holdfast-lease")]
    [InlineData("holdfast-watch")]
    public async Task A_thread_that_stops_its_own_scheduler_ends_when_it_is_done(string name)
    {
        var stopped = new TaskCompletionSource<(Thread, IReadOnlyList<string>)>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var found = new ManualResetEvent(false);
        LaneScheduler lanes = null!;
        void StopOn(string place)
        {
            if (place != name)
                return;

            found.Set();
            stopped.TrySetResult((Thread.CurrentThread, lanes.Stop(s_patience)));
        }

        lanes = new LaneScheduler(
            new() { Threads = 1, LongTurn = TimeSpan.Zero },
            TimeProvider.System,
            new ThreadLog(() => StopOn("holdfast-watch")));
        lanes.Add(new TimedWork(_ =>
        {
            StopOn("holdfast-lease");
            return TimeSpan.MaxValue;
        }));
        await lanes.NewStrand(0, "a").Run(() =>
        {
            StopOn("holdfast-worker-1");
            if (name == "holdfast-watch")
                found.WaitOne(s_patience);
        }).WaitAsync(s_patience);

        var (thread, late) = await stopped.Task.WaitAsync(s_patience);
        Assert.Equal(name, thread.Name);
        Assert.True(thread.Join(s_patience));
        Assert.Empty(late);
    }

    [Fact]
    public async Task Nothing_is_lost_however_posts_and_stop_race()
    {
        for (var round = 0; round < 100; round++)
        {
            var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
            using var all = new CountdownEvent(4 * 50);
            var posters = Enumerable.Range(0, 2).Select(_ => new Thread(Post)).ToList();
            posters.ForEach(poster => poster.Start());
            Thread.SpinWait(round * 20);

            Assert.Empty(lanes.Stop(s_patience));

            Assert.True(all.Wait(s_patience));

            void Post()
            {
                for (var i = 0; i < 50; i++)
                {
                    lanes.Post((Lane)(i % 3), () => all.Signal());
                    lanes.NewStrand(0, "a").Run(async () =>
                    {
                        await Task.Yield();
                        all.Signal();
                    });
                }
            }
        }
    }

    private static void Burn(TimeSpan time)
    {
        for (var watch = Stopwatch.StartNew(); watch.Elapsed < time;)
            Thread.SpinWait(100);
    }

    private void NoteThread() => _threads.TryAdd(Thread.CurrentThread, true);

    private sealed class ThreadLog(Action onWatch) : ILaneObserver
    {
        public void Waited(Lane lane, TimeSpan wait, int weight)
        {
        }

        public void Ran(Lane lane, TimeSpan turn, int weight)
        {
        }

        public void FoundLong(TurnReport turn) => onWatch();

        public void FoundBlocked(TurnReport turn, StandIn standIn) => onWatch();

        public void FoundScarce(int blocked, StandIn bound) => onWatch();

        public void FoundStandstill(Standstill standstill) => onWatch();
    }
}
