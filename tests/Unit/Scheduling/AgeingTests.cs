using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class AgeingTests
{
    private static readonly TimeSpan s_ageing = TimeSpan.FromSeconds(10);

    private readonly VirtualTime _time = new();
    private readonly LaneScheduler _lanes;
    private readonly List<(string Name, TimeSpan At)> _ran = [];

    public AgeingTests() => _lanes = LaneScheduler.ByHand(_time, options: new() { Ageing = s_ageing });

    [Fact]
    public void An_endless_yielder_of_high_priority_does_not_starve_a_low_one_for_good()
    {
        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 60));
        _lanes.NewStrand(0, "low").Run(() => YieldFor("low", seconds: 60));

        RunFor(seconds: 55);

        var first = _ran.First(ran => ran.Name == "low").At;
        Assert.InRange(first, s_ageing, 3 * s_ageing);
        Assert.True(_ran.Count(ran => ran.Name == "low") > 1);
    }

    [Fact]
    public void Seven_turns_in_eight_still_go_by_rank_where_many_have_aged()
    {
        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 120));
        for (var i = 0; i < 50; i++)
            Post(0, "low");

        RunFor(seconds: 100);

        var aged = _ran.SkipWhile(ran => ran.Name == "busy").Take(64).ToArray();
        Assert.Equal(8, aged.Count(ran => ran.Name == "low"));
        Assert.Equal(56, aged.Count(ran => ran.Name == "busy"));
    }

    [Fact]
    public void What_is_finished_goes_before_all_that_has_aged()
    {
        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 120));
        for (var i = 0; i < 50; i++)
            Post(0, "low");
        RunFor(seconds: 50);
        Assert.Contains(_ran, ran => ran.Name == "low");

        var finished = _lanes.NewStrand(0, "finished");
        finished.Purpose = Task.CompletedTask;
        finished.Run(() => YieldFor("finished", seconds: 16));
        RunFor(seconds: 16);

        Assert.All(_ran.TakeLast(16), ran => Assert.Equal("finished", ran.Name));
    }

    [Fact]
    public void Nothing_overtakes_by_age_what_is_served_in_time()
    {
        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 5));
        _lanes.NewStrand(0, "low").Run(() => YieldFor("low", seconds: 1));

        RunFor(seconds: 60);

        Assert.Equal("low", _ran[^1].Name);
        Assert.Single(_ran, ran => ran.Name == "low");
    }

    [Fact]
    public void What_has_not_waited_for_a_whole_period_has_not_aged()
    {
        Post(0, "low");
        _lanes.Queues.Age();

        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 16));
        _lanes.RunUntilIdle();

        Assert.Equal([.. Enumerable.Repeat("busy", 16), "low"], _ran.Select(ran => ran.Name));
    }

    [Fact]
    public void Of_those_that_have_aged_whoever_has_waited_longest_comes_first()
    {
        Post(0, "longest");
        _lanes.Queues.Age();
        Post(5, "shorter");
        Age();

        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 16));
        _lanes.RunUntilIdle();

        Assert.Equal(["longest", "shorter"], _ran.Select(ran => ran.Name).Where(name => name != "busy"));
    }

    [Fact]
    public void What_has_aged_keeps_its_rank()
    {
        Post(9, "urgent");
        Age();
        for (var i = 0; i < 8; i++)
            Post(0, "newcomer");

        _lanes.RunOne();

        Assert.Equal("urgent", _ran.Single().Name);
    }

    [Fact]
    public void Who_has_had_a_turn_since_it_aged_waits_anew()
    {
        var served = _lanes.NewStrand(5, "served");
        served.Run(() => YieldFor("served", seconds: 2));
        Age();
        _lanes.RunOne();

        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 16));
        _lanes.RunUntilIdle();

        Assert.Equal(["served", .. Enumerable.Repeat("busy", 16), "served"], _ran.Select(ran => ran.Name));
    }

    [Fact]
    public void However_often_age_has_given_it_a_turn_each_of_its_turns_comes_once()
    {
        _lanes.NewStrand(9, "busy").Run(() => YieldFor("busy", seconds: 5000));
        _lanes.NewStrand(0, "low").Run(() => YieldFor("low", seconds: 300));

        RunFor(seconds: 5000);
        Assert.InRange(_ran.Count(ran => ran.Name == "low"), 100, 300);
        RunFor(seconds: 1000);

        Assert.Equal((5000, 300), (_ran.Count(ran => ran.Name == "busy"), _ran.Count(ran => ran.Name == "low")));
        Assert.Equal(0, _lanes.Queued(Lane.Process));
    }

    private void Age()
    {
        for (var period = 0; period < 3; period++)
            _lanes.Queues.Age();
    }

    private void Post(byte priority, string name) => _lanes.NewStrand(priority, name).Run(() => _ran.Add((name, _time.Elapsed)));

    private async Task YieldFor(string name, int seconds)
    {
        for (var i = 0; i < seconds; i++)
        {
            _ran.Add((name, _time.Elapsed));
            await Task.Yield();
        }
    }

    // Every turn takes a second.
    private void RunFor(int seconds)
    {
        for (var i = 0; i < seconds && _lanes.RunOne(); i++)
            _time.Advance(TimeSpan.FromSeconds(1));
    }
}
