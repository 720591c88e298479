using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class TimedWorkTests
{
    private readonly VirtualTime _time = new();
    private readonly LaneScheduler _lanes;
    private readonly List<TimeSpan> _calls = [];

    public TimedWorkTests() => _lanes = LaneScheduler.ByHand(_time);

    [Fact]
    public void It_runs_at_once_and_then_at_its_due_times()
    {
        _lanes.Add(new TimedWork(now => Note(now) + TimeSpan.FromSeconds(2)));
        for (var i = 0; i < 5; i++)
        {
            _lanes.RunUntilIdle();
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal([TimeSpan.Zero, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(4)], _calls);
    }

    [Fact]
    public void It_runs_between_the_items_of_the_lanes()
    {
        _lanes.Add(new TimedWork(now => Note(now) + TimeSpan.FromSeconds(1)));
        var strand = _lanes.NewStrand(0, "a");
        for (var i = 0; i < 3; i++)
            strand.Run(() => _time.Advance(TimeSpan.FromSeconds(1)));

        Assert.Equal(3, _lanes.RunUntilIdle());

        Assert.Equal([0, 1, 2, 3], _calls.Select(call => call.TotalSeconds));
    }

    [Fact]
    public void It_runs_at_once_when_it_is_woken()
    {
        _lanes.Add(new TimedWork(now => Note(now) + TimeSpan.FromHours(1)));
        _lanes.RunUntilIdle();

        _time.Advance(TimeSpan.FromSeconds(1));
        _lanes.WakeTimedWork();
        _lanes.RunUntilIdle();

        Assert.Equal([TimeSpan.Zero, TimeSpan.FromSeconds(1)], _calls);
    }

    [Fact]
    public void A_wake_while_it_runs_makes_it_run_again()
    {
        _lanes.Add(new TimedWork(now =>
        {
            Note(now);
            if (_calls.Count == 1)
                _lanes.WakeTimedWork();
            return TimeSpan.MaxValue;
        }));

        _lanes.RunUntilIdle();
        _lanes.RunUntilIdle();
        _lanes.RunUntilIdle();

        Assert.Equal(2, _calls.Count);
    }

    [Fact]
    public void The_first_of_several_due_times_counts()
    {
        _lanes.Add(new TimedWork(_ => TimeSpan.MaxValue));
        _lanes.Add(new TimedWork(now => Note(now) + TimeSpan.FromSeconds(1)));
        _lanes.Add(new TimedWork(_ => TimeSpan.FromSeconds(50)));
        _lanes.RunUntilIdle();

        _time.Advance(TimeSpan.FromSeconds(1));
        _lanes.RunUntilIdle();

        Assert.Equal(2, _calls.Count);
    }

    [Fact]
    public void Silence_is_how_long_it_has_been_due_whoever_wakes_it_meanwhile()
    {
        _lanes.Add(new TimedWork(now => now + TimeSpan.FromSeconds(1)));
        _lanes.RunUntilIdle();
        Assert.Equal(TimeSpan.Zero, _lanes.TimedWorkSilence);

        _time.Advance(TimeSpan.FromSeconds(4));
        _lanes.WakeTimedWork();
        Assert.Equal(TimeSpan.FromSeconds(3), _lanes.TimedWorkSilence);

        _lanes.RunUntilIdle();
        Assert.Equal(TimeSpan.Zero, _lanes.TimedWorkSilence);
    }

    [Fact]
    public void A_crash_is_told_once_and_shows_for_good_in_its_silence()
    {
        var crashes = new List<Exception>();
        _lanes.TimedWorkCrashed += crashes.Add;
        _lanes.Add(new TimedWork(now => now > TimeSpan.Zero ? throw new InvalidOperationException("boom") : Note(now) + TimeSpan.FromSeconds(1)));
        _lanes.RunUntilIdle();

        for (var i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            _lanes.WakeTimedWork();
            _lanes.RunUntilIdle();
        }

        Assert.Equal("boom", Assert.Single(crashes).Message);
        Assert.Single(_calls);
        Assert.Equal(TimeSpan.FromSeconds(2), _lanes.TimedWorkSilence);
    }

    private TimeSpan Note(TimeSpan now)
    {
        _calls.Add(now);
        return now;
    }
}
