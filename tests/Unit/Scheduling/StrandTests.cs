using System.Threading.Tasks.Sources;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class StrandTests
{
    private readonly VirtualTime _time = new();
    private readonly LaneScheduler _lanes;
    private readonly Strand _strand;

    public StrandTests()
    {
        _lanes = LaneScheduler.ByHand(_time);
        _strand = _lanes.NewStrand(0, "a");
    }

    private bool IsInPlace => TaskScheduler.Current == _strand && LaneWorker.Current?.Lanes == _lanes;

    [Fact]
    public void A_yield_comes_back_to_its_strand() => ComesBack(async () => await Task.Yield(), () => { });

    [Fact]
    public void An_answer_that_another_thread_sets_comes_back_to_its_strand()
    {
        var answer = new TaskCompletionSource();
        ComesBack(() => answer.Task, () => OnAnotherThread(answer.SetResult));
    }

    [Fact]
    public void An_answer_that_the_pool_sets_comes_back_to_its_strand()
    {
        var answer = new TaskCompletionSource();
        ComesBack(() => answer.Task, () => Task.Run(answer.SetResult).Wait());
    }

    [Fact]
    public void All_of_many_answers_come_back_to_their_strand()
    {
        var (one, other) = (new TaskCompletionSource(), new TaskCompletionSource());
        ComesBack(() => Task.WhenAll(one.Task, other.Task), () => OnAnotherThread(() =>
        {
            one.SetResult();
            other.SetResult();
        }));
    }

    [Fact]
    public void A_value_task_source_comes_back_to_its_strand()
    {
        var source = new Source();
        ComesBack(async () => await new ValueTask(source, 0), () => OnAnotherThread(source.Complete));
    }

    [Fact]
    public void A_delay_comes_back_to_its_strand_when_the_clock_says_so()
    {
        ComesBack(() => Task.Delay(TimeSpan.FromSeconds(3), _time), () =>
        {
            _time.Advance(TimeSpan.FromSeconds(2));
            Assert.Equal(0, _lanes.RunUntilIdle());
            _time.Advance(TimeSpan.FromSeconds(1));
        });
    }

    [Fact]
    public void What_escapes_to_another_thread_resumes_the_awaiting_strand_in_its_lane()
    {
        var answer = new TaskCompletionSource();
        var escaped = false;
        ComesBack(
            async () =>
            {
                await answer.Task.ConfigureAwait(false);
                escaped |= !IsInPlace;
            },
            () => OnAnotherThread(answer.SetResult));

        Assert.True(escaped);
    }

    [Fact]
    public async Task What_escapes_to_the_pool_resumes_the_awaiting_strand_in_its_lane()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1 }, TimeProvider.System);
        var strand = lanes.NewStrand(0, "a");
        var (escaped, back) = (false, false);

        await strand.Run(async () =>
        {
            await Task.Run(() => escaped = LaneWorker.Current is null);
            back = TaskScheduler.Current == strand && LaneWorker.Current?.Lanes == lanes;
        }).WaitAsync(Patience);

        Assert.True(escaped);
        Assert.True(back);
    }

    [Fact]
    public void Work_started_without_a_scheduler_stays_on_the_lane()
    {
        var inPlace = false;
        _strand.Run(() => Task.Factory.StartNew(() => inPlace = IsInPlace));

        _lanes.RunUntilIdle();

        Assert.True(inPlace);
    }

    [Fact]
    public void In_the_process_lane_there_is_no_turn_without_a_strand() =>
        Assert.Throws<ArgumentException>(() => _lanes.Turn(Lane.Process));

    [Fact]
    public void A_turn_belongs_to_nobodys_strand()
    {
        var current = new List<TaskScheduler>();
        _strand.Run(() => Enter(Lane.Lease));
        _strand.Run(() => Enter(Lane.Receive));

        _lanes.RunUntilIdle();

        Assert.Equal([TaskScheduler.Default, TaskScheduler.Default], current);

        async Task Enter(Lane lane)
        {
            await _lanes.Turn(lane);
            Assert.Same(_lanes, LaneWorker.Current?.Lanes);
            current.Add(TaskScheduler.Current);
        }
    }

    [Fact]
    public void A_failure_is_the_tasks_own()
    {
        var failing = _strand.Run(() => throw new InvalidOperationException());
        var next = _strand.Run(() => { });

        _lanes.RunUntilIdle();

        Assert.IsType<InvalidOperationException>(failing.Exception?.InnerException);
        Assert.True(next.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_wait_in_place_for_a_queued_task_does_not_hang()
    {
        var ran = false;
        var waiting = _strand.Run(() =>
        {
            _strand.Run(() => ran = true).Wait();
            _lanes.NewStrand(9, "other").Run(() => { }).Wait();
        });

        _lanes.RunUntilIdle();

        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.True(ran);
    }

    [Fact]
    public void A_context_set_in_one_turn_does_not_leak_into_another()
    {
        var local = new AsyncLocal<string?>();
        string? seen = "nothing yet";
        _strand.Run(async () =>
        {
            local.Value = "mine";
            await Task.Yield();
            local.Value = "still mine";
        });
        _strand.Run(() => seen = local.Value);

        _lanes.RunUntilIdle();

        Assert.Null(seen);
        Assert.Null(local.Value);
    }

    [Fact]
    public void A_scheduler_may_be_run_by_hand_inside_a_turn_of_another()
    {
        var inner = LaneScheduler.ByHand(_time);
        var places = new List<LaneScheduler?>();
        void Note() => places.Add(LaneWorker.Current?.Lanes);

        _strand.Run(async () =>
        {
            _ = inner.NewStrand(0, "inner").Run(async () =>
            {
                Note();
                await Task.Yield();
                Note();
            });
            inner.RunUntilIdle();
            Note();
            await Task.Yield();
            Note();
        });
        _lanes.RunUntilIdle();

        Assert.Equal([inner, inner, _lanes, _lanes], places);
        Assert.Null(LaneWorker.Current);
    }

    private static TimeSpan Patience => TimeSpan.FromSeconds(30);

    // The strand waits three times in a row, because an escape by one wait would show in the next ones.
    private void ComesBack(Func<Task> wait, Action complete)
    {
        var places = new List<bool>();
        var journey = _strand.Run(async () =>
        {
            for (var i = 0; i < 3; i++)
            {
                places.Add(IsInPlace);
                await wait();
            }

            places.Add(IsInPlace);
        });

        _lanes.RunUntilIdle();
        complete();
        while (_lanes.RunUntilIdle() > 0 && _time.UntilNextTimer is { } due)
            _time.Advance(due);

        Assert.True(journey.IsCompletedSuccessfully);
        Assert.Equal([true, true, true, true], places);
    }

    private static void OnAnotherThread(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        thread.Join();
    }

    private sealed class Source : IValueTaskSource
    {
        private ManualResetValueTaskSourceCore<bool> _core;

        public void Complete() => _core.SetResult(true);

        public void GetResult(short token)
        {
        }

        public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _core.OnCompleted(continuation, state, token, flags);
    }
}
