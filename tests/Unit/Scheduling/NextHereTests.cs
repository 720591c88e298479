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

    [Fact]
    public async Task Where_the_turn_goes_on_for_long_after_all_another_thread_comes_for_what_it_has_posted()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        var isRun = false;

        await BurnAsync().WaitAsync(s_patience);

        Assert.True(isRun);

        async Task BurnAsync()
        {
            await lanes.Turn(Lane.Receive);
            _ = RunAsync();
            for (var begun = Stopwatch.GetTimestamp(); !Volatile.Read(ref isRun) && Stopwatch.GetElapsedTime(begun) < s_patience;)
                Thread.SpinWait(100);
        }

        async Task RunAsync()
        {
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
