using System.Diagnostics;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Who wakes another thread for what it posts, and who comes for it himself.</summary>
public sealed class NextHereTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly LaneScheduler _lanes;
    private int _calls;

    public NextHereTests() =>
        _lanes = LaneScheduler.ByHands(new VirtualTime(), new() { Threads = 2 }, new HandSignals(() => _calls++, static () => { }, static _ => { }));

    [Theory]
    [InlineData(Lane.Lease)]
    [InlineData(Lane.Receive)]
    public void Who_awaits_a_turn_in_his_own_wakes_nobody(Lane lane)
    {
        var turns = 0;
        _lanes.NewStrand(0, "a").Run(async () =>
        {
            await _lanes.Turn(lane);
            turns++;
        });

        _lanes.RunUntilIdle();

        // The first was posted from outside.
        Assert.Equal((1, 1), (_calls, turns));
    }

    [Fact]
    public void Where_more_waits_than_that_another_is_called()
    {
        _lanes.NewStrand(0, "a").Run(async () => await _lanes.Turn(Lane.Lease));
        _lanes.Post(Lane.Receive, static () => { });
        Assert.Equal(1 + 1, _calls);

        _lanes.RunUntilIdle();

        Assert.Equal(1 + 1 + 1, _calls);
    }

    [Fact]
    public void What_a_turn_of_the_engine_starts_is_run_by_the_same_thread_if_it_is_one_thing()
    {
        Receive(starts: 1);

        Assert.Equal(1, _calls);
    }

    [Fact]
    public void For_each_further_thing_another_is_called()
    {
        Receive(starts: 3);

        Assert.Equal(1 + 2, _calls);
    }

    [Fact]
    public void What_a_handler_starts_may_go_on_beside_it_so_another_is_called()
    {
        _lanes.NewStrand(0, "a").Run(() => { _lanes.NewStrand(0, "b").Run(static () => { }); });

        _lanes.RunUntilIdle();

        Assert.Equal(1 + 1, _calls);
    }

    [Fact]
    public void Who_yields_is_gone_on_with_by_the_same_thread()
    {
        var turns = 0;
        _lanes.NewStrand(0, "a").Run(async () =>
        {
            await Task.Yield();
            await Task.Yield();
            turns++;
        });

        _lanes.RunUntilIdle();

        Assert.Equal((1, 1), (_calls, turns));
    }

    [Fact]
    public void Where_several_yield_in_one_turn_another_is_called_for_each_but_the_first()
    {
        _lanes.NewStrand(0, "a").Run(() => { _ = Task.WhenAll(YieldAsync(), YieldAsync(), YieldAsync()); });

        _lanes.RunUntilIdle();

        Assert.Equal(1 + 2, _calls);

        static async Task YieldAsync() => await Task.Yield();
    }

    [Fact]
    public void What_a_task_calls_as_it_completes_is_gone_on_with_by_the_same_thread_but_for_all_beyond_the_first()
    {
        var (strand, turns) = (_lanes.NewStrand(0, "a"), 0);
        var work = strand.Run(static () => { });
        for (var link = 0; link < 10; link++)
            work = work.ContinueWith(_ => turns++, CancellationToken.None, TaskContinuationOptions.None, strand);
        _lanes.RunUntilIdle();
        Assert.Equal((1, 10), (_calls, turns));

        var first = strand.Run(static () => { });
        for (var next = 0; next < 3; next++)
            first.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, strand);
        _lanes.RunUntilIdle();

        Assert.Equal(1 + 1 + 2, _calls);
    }

    [Fact]
    public void What_a_turn_calls_before_its_end_is_for_another_thread_too()
    {
        var (strand, source) = (_lanes.NewStrand(0, "a"), new TaskCompletionSource());
        source.Task.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, strand);

        strand.Run(source.SetResult);
        _lanes.RunUntilIdle();

        Assert.Equal(1 + 1, _calls);
    }

    [Fact]
    public void A_chain_that_may_not_run_deeper_in_place_is_gone_on_with_by_the_same_thread()
    {
        var first = new TaskCompletionSource();
        var last = first.Task;
        _lanes.NewStrand(0, "a").Run(() =>
        {
            for (var link = 0; link < 10 * LaneScheduler.DeepestInline; link++)
                last = LinkAsync(last);
            first.SetResult();
        });

        _lanes.RunUntilIdle();

        Assert.True(last.IsCompletedSuccessfully);
        Assert.Equal(1, _calls);

        static async Task LinkAsync(Task previous) => await previous;
    }

    [Fact]
    public void A_turn_that_is_awaited_inside_of_another_continuation_does_not_end_that_ones_turn()
    {
        var (strand, source) = (_lanes.NewStrand(0, "a"), new TaskCompletionSource());
        strand.Run(async () =>
        {
            await source.Task;
            await _lanes.Turn(Lane.Lease);
        });
        _lanes.RunUntilIdle();
        _calls = 0;

        strand.Run(source.SetResult);
        _lanes.RunUntilIdle();

        Assert.Equal(1 + 1, _calls);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Where_the_turn_goes_on_for_long_after_all_another_thread_comes_for_what_it_has_posted(bool yields)
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var isRun = false;

        await lanes.NewStrand(0, "a").Run(BurnAsync).WaitAsync(s_patience);

        Assert.True(isRun);

        async Task BurnAsync()
        {
            if (!yields)
                await lanes.Turn(Lane.Receive);
            _ = RunAsync();
            for (var begun = Stopwatch.GetTimestamp(); !Volatile.Read(ref isRun) && Stopwatch.GetElapsedTime(begun) < s_patience;)
                Thread.SpinWait(100);
        }

        async Task RunAsync()
        {
            if (yields)
                await Task.Yield();
            else
                await lanes.Turn(Lane.Receive);
            Volatile.Write(ref isRun, true);
        }
    }

    private void Receive(int starts)
    {
        _ = ReceiveAsync();
        _lanes.RunUntilIdle();

        async Task ReceiveAsync()
        {
            await _lanes.Turn(Lane.Receive);
            for (var n = 0; n < starts; n++)
                _ = _lanes.NewStrand(0, $"{n}").Run(static () => { });
        }
    }
}
