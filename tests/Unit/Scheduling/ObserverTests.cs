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

        Assert.Equal((Lane.Process, TimeSpan.FromSeconds(3)), Assert.Single(_log.Turns));

        async Task After(Task gate)
        {
            await gate;
            Pass(seconds: 2);
        }
    }

    [Fact]
    public void Few_of_many_turns_are_measured()
    {
        var sampling = new Sampling(_log);
        Assert.Equal(1000, Enumerable.Range(0, 1000).Count(turn => sampling.IsTurnDue(turn)));

        sampling.Adapt(turns: 10_000);
        Assert.InRange(Enumerable.Range(0, 10_000).Count(turn => sampling.IsTurnDue(turn)), 50, 128);

        sampling.Adapt(turns: 100);
        Assert.Equal(1000, Enumerable.Range(0, 1000).Count(turn => sampling.IsTurnDue(turn)));
    }

    [Fact]
    public void Of_many_posts_few_waits_are_told_and_those_as_they_were()
    {
        _lanes.Sampling.Adapt(turns: 10_000);
        for (var n = 0; n < 1000; n++)
            _lanes.NewStrand(0, "a").Run(static () => { });
        Pass(seconds: 1);

        _lanes.RunUntilIdle();

        Assert.InRange(_log.Waits.Count, 1, 16);
        Assert.All(_log.Waits, entry => Assert.Equal(TimeSpan.FromSeconds(1), entry.Wait));
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

    private async Task Enter(Lane lane, int seconds)
    {
        await _lanes.Turn(lane);
        Pass(seconds);
    }

    private void Pass(int seconds) => _time.Advance(TimeSpan.FromSeconds(seconds));
}
