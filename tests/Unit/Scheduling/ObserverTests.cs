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

    private async Task Enter(Lane lane, int seconds)
    {
        await _lanes.Turn(lane);
        Pass(seconds);
    }

    private void Pass(int seconds) => _time.Advance(TimeSpan.FromSeconds(seconds));
}
