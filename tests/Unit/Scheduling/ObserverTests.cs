using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class ObserverTests
{
    private readonly VirtualTime _time = new();
    private readonly LaneLog _log = new();
    private readonly LaneScheduler _lanes;

    public ObserverTests() => _lanes = LaneScheduler.ByHand(_time, _log);

    [Fact]
    public void Waits_and_turns_are_measured_by_the_clock()
    {
        _lanes.NewStrand(0, "a").Run(() => Pass(seconds: 2));
        _ = Enter(Lane.Receive, seconds: 4);
        Pass(seconds: 1);

        _lanes.RunUntilIdle();

        Assert.Equal([(Lane.Process, 1), (Lane.Receive, 3)], _log.Waits.Select(entry => (entry.Lane, (int)entry.Wait.TotalSeconds)));
        Assert.Equal([(Lane.Process, 2), (Lane.Receive, 4)], _log.Turns.Select(entry => (entry.Lane, (int)entry.Turn.TotalSeconds)));
    }

    [Fact]
    public void Waits_are_added_up_for_whoever_asks_later()
    {
        _lanes.NewStrand(0, "a").Run(() => Pass(seconds: 2));
        _lanes.NewStrand(0, "b").Run(() => Pass(seconds: 1));
        Pass(seconds: 1);

        _lanes.RunUntilIdle();

        Assert.Equal(new LaneWaits(2, TimeSpan.FromSeconds(1 + 3)), _lanes.Waits(Lane.Process));
        Assert.Equal(default, _lanes.Waits(Lane.Receive));
    }

    [Fact]
    public void Whose_turn_it_is_can_be_seen_from_outside()
    {
        var (a, b) = (_lanes.NewStrand(0, "a"), _lanes.NewStrand(0, "b"));
        (bool, bool, bool, int)? seen = null;
        a.Run(() => seen = (_lanes.Activity().IsRunning(a), _lanes.Activity().IsRunning(b), b.IsQueued, _lanes.Activity().Busy(Lane.Process)));
        b.Run(() => { });

        _lanes.RunUntilIdle();

        Assert.Equal((true, false, true, 1), seen);
        Assert.Equal((false, false, 0), (_lanes.Activity().IsRunning(a), b.IsQueued, _lanes.Activity().Busy(Lane.Process)));
    }

    [Fact]
    public void A_continuation_in_place_is_part_of_its_turn()
    {
        _lanes.NewStrand(0, "a").Run(() =>
        {
            var gate = new TaskCompletionSource();
            _ = After(gate.Task);
            Pass(seconds: 1);
            gate.SetResult();
        });

        _lanes.RunUntilIdle();

        Assert.Equal((Lane.Process, TimeSpan.FromSeconds(3), 1), Assert.Single(_log.Turns));

        async Task After(Task gate)
        {
            await gate;
            Pass(seconds: 2);
        }
    }

    [Fact]
    public void Few_of_many_turns_are_measured_and_count_for_all()
    {
        var sampling = new Sampling(_log);
        Assert.All(Weights(sampling, 1000), weight => Assert.Equal(1, weight));

        sampling.Adapt(turns: 10_000);
        Assert.Equal([0, 128], Weights(sampling, 64_000).Distinct().Order());
        Assert.InRange(Weights(sampling, 64_000).Sum(), 63_000, 65_000);

        sampling.Adapt(turns: 100);
        Assert.All(Weights(sampling, 1000), weight => Assert.Equal(1, weight));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    public void Lanes_that_take_turns_on_a_thread_are_each_measured_for_what_they_are(int lanes)
    {
        var sampling = new Sampling(_log);
        sampling.Adapt(turns: 10_000);

        var weights = Weights(sampling, 64_000 * lanes);

        Assert.All(Enumerable.Range(0, lanes), lane => Assert.InRange(weights.Where((_, turn) => turn % lanes == lane).Sum(), 62_000, 66_000));
    }

    [Fact]
    public void Who_must_hear_of_each_does()
    {
        var sampling = new Sampling(_log);
        _log.WantsEach = true;

        sampling.Adapt(turns: 10_000);

        Assert.All(Weights(sampling, 1000), weight => Assert.Equal(1, weight));
    }

    [Fact]
    public void Of_many_posts_few_waits_are_told_as_they_were_and_count_for_all()
    {
        _lanes.Sampling.Adapt(turns: 10_000);
        Post(64_000);
        Pass(seconds: 1);

        _lanes.RunUntilIdle();

        Assert.InRange(_log.Waits.Sum(entry => entry.Weight), 63_000, 65_000);
        Assert.InRange(_log.Turns.Sum(entry => entry.Weight), 63_000, 65_000);
        Assert.All(_log.Waits, entry => Assert.Equal((TimeSpan.FromSeconds(1), 128), (entry.Wait, entry.Weight)));
    }

    [Fact]
    public void A_wait_counts_for_as_many_as_when_it_began()
    {
        Post(100);
        _lanes.Sampling.Adapt(turns: 10_000);

        _lanes.RunUntilIdle();

        Assert.Equal(100, _log.Waits.Count);
        Assert.All(_log.Waits, entry => Assert.Equal(1, entry.Weight));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 128)]
    [InlineData(640_000_000_000_000_000, 1)]
    [InlineData(long.MaxValue >> 3, Postmark.Heaviest)]
    public void A_postmark_is_read_as_it_was_written(long at, int weight)
    {
        var mark = new Postmark(at, weight);

        Assert.Equal((true, at, weight), (mark.IsMeasured, mark.At, mark.Weight));
        Assert.False(Postmark.None.IsMeasured);
    }

    [Fact]
    public void Of_a_strand_s_tasks_that_wait_together_the_first_one_s_wait_is_told()
    {
        var strand = _lanes.NewStrand(0, "a");
        strand.Run(static () => { });
        strand.Run(static () => { });
        Pass(seconds: 1);

        _lanes.RunUntilIdle();

        Assert.Equal(TimeSpan.FromSeconds(1), Assert.Single(_log.Waits).Wait);
    }

    private static int[] Weights(Sampling sampling, int turns) => [.. Enumerable.Range(0, turns).Select(turn => sampling.TurnWeight(turn))];

    private void Post(int tasks)
    {
        for (var n = 0; n < tasks; n++)
            _lanes.NewStrand(0, "a").Run(static () => { });
    }

    private async Task Enter(Lane lane, int seconds)
    {
        await _lanes.Turn(lane);
        Pass(seconds);
    }

    private void Pass(int seconds) => _time.Advance(TimeSpan.FromSeconds(seconds));
}
