using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Messages that take turns.</summary>
public sealed class RoundRobinTests
{
    private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime(), options: new() { TurnOrder = TurnOrder.RoundRobin });
    private readonly List<string> _ran = [];

    [Fact]
    public void Each_has_a_turn_before_one_has_another()
    {
        foreach (var name in (string[])["a", "b", "c"])
            Begin(name, turns: 3);

        _lanes.RunUntilIdle();

        Assert.Equal(["a", "b", "c", "a", "b", "c", "a", "b", "c"], _ran);
    }

    [Fact]
    public void A_new_one_has_its_turn_before_those_that_had_one_since_it_came()
    {
        Begin("a", turns: 3);
        Begin("b", turns: 2);
        _lanes.RunOne();
        Begin("new", turns: 1);

        _lanes.RunUntilIdle();

        Assert.Equal(["a", "b", "a", "new", "b", "a"], _ran);
    }

    [Fact]
    public void Who_was_away_goes_before_those_that_had_turns_meanwhile()
    {
        var answer = new TaskCompletionSource();
        _lanes.NewStrand(0, "away").Run(async () =>
        {
            await answer.Task;
            _ran.Add("away");
        });
        _lanes.RunUntilIdle();
        Begin("a", turns: 3);
        Begin("b", turns: 3);
        _lanes.RunOne();
        _lanes.RunOne();

        answer.SetResult();
        _lanes.RunUntilIdle();

        Assert.Equal(["a", "b", "away", "a", "b", "a", "b"], _ran);
    }

    [Fact]
    public void The_more_urgent_do_not_wait_for_their_turn()
    {
        Begin("a", turns: 2);
        Begin("urgent", turns: 3, priority: 1);

        _lanes.RunUntilIdle();

        Assert.Equal(["urgent", "urgent", "urgent", "a", "a"], _ran);
    }

    [Fact]
    public void While_threads_are_scarce_those_that_have_begun_take_turns_too()
    {
        var (one, other) = (_lanes.NewStrand(0, "one"), _lanes.NewStrand(0, "other"));
        Post(one, "one begins");
        Post(other, "other begins");
        _lanes.RunUntilIdle();
        Post(one, "one goes on");
        Post(one, "one goes on again");
        Post(other, "other goes on");

        _lanes.Queues.Supply = ThreadSupply.Scarce;
        _lanes.RunUntilIdle();

        Assert.Equal(["one begins", "other begins", "one goes on", "other goes on", "one goes on again"], _ran);
    }

    [Fact]
    public void What_goes_on_within_its_turn_does_so_in_place_whoever_waits()
    {
        Assert.Equal(["b", "a goes on", "a", "b"], RunBeside(_ => { }));
    }

    [Fact]
    public void What_something_more_urgent_keeps_from_going_on_in_place_keeps_its_turn()
    {
        Assert.Equal(["b", "a", "lease", "a goes on", "b"], RunBeside(_ => _lanes.Post(Lane.Lease, () => _ran.Add("lease"))));
    }

    [Fact]
    public void Another_message_that_is_more_urgent_has_its_turn_before_it_goes_on()
    {
        Assert.Equal(["b", "a", "urgent", "a goes on", "b"], RunBeside(_ => Begin("urgent", turns: 1, priority: 1)));
    }

    [Fact]
    public void What_a_strand_has_had_before_runs_before_what_goes_on()
    {
        Assert.Equal(["b", "a", "b", "a, more", "a goes on"], RunBeside(a => a.Run(() => _ran.Add("a, more"))));
    }

    // The second turn of a completes what the first awaits, once that was done; b has one before and one after it.
    private List<string> RunBeside(Action<Strand> before)
    {
        var answer = new TaskCompletionSource();
        var a = _lanes.NewStrand(0, "a");
        a.Run(async () =>
        {
            await answer.Task;
            _ran.Add("a goes on");
        });
        a.Run(() =>
        {
            before(a);
            answer.SetResult();
            _ran.Add("a");
        });
        Begin("b", turns: 2);
        _lanes.RunUntilIdle();
        return _ran;
    }

    private void Post(Strand strand, string what) => strand.Run(() => _ran.Add(what));

    private void Begin(string name, int turns, byte priority = 0) => _lanes.NewStrand(priority, name).Run(async () =>
    {
        for (; turns > 0; turns--)
        {
            _ran.Add(name);
            await Task.Yield();
        }
    });
}
