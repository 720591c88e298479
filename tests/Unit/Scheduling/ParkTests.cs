using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The way to sleep, step by step: what comes before the idle bit is set, and between that and the look for work.</summary>
public sealed class ParkTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private readonly HookedTime _time = new();
    private readonly LaneScheduler _lanes;
    private readonly Crew _crew;
    private readonly Seat _seat;

    public ParkTests()
    {
        _lanes = LaneScheduler.ByHand(_time);
        _crew = new Crew(_lanes, new());
        _seat = _crew.Seats[0];

        // With timed work to come it looks at the clock after its idle bit is set: there a test can step in.
        _lanes.Add(new TimedWork(now => now + TimeSpan.FromHours(1)));
        _lanes.RunUntilIdle();
    }

    [Theory]
    [InlineData(Lane.Lease)]
    [InlineData(Lane.Process)]
    [InlineData(Lane.Receive)]
    public void Work_that_came_before_the_idle_bit_keeps_the_thread_awake(Lane lane)
    {
        Post(lane);

        Assert.True(Park());
        Assert.False(_crew.AnyIdle);
    }

    [Fact]
    public void Work_that_comes_after_the_idle_bit_keeps_the_thread_awake_and_its_signal_is_used_up()
    {
        Assert.True(Park(meanwhile: () => Post(Lane.Lease)));

        Assert.False(_crew.AnyIdle);
        Assert.False(_seat.Wake.Wait(TimeSpan.Zero));
    }

    [Fact]
    public void A_signal_without_work_wakes_the_thread()
    {
        Assert.True(Park(meanwhile: () => _crew.WakeOne()));

        Assert.False(_crew.AnyIdle);
        Assert.False(_seat.Wake.Wait(TimeSpan.Zero));
    }

    [Fact]
    public void A_stop_before_the_idle_bit_ends_the_thread()
    {
        _crew.Stop(TimeSpan.Zero);

        Assert.False(Park());
    }

    [Fact]
    public void A_stop_after_the_idle_bit_ends_the_thread() => Assert.False(Park(meanwhile: () => _crew.Stop(TimeSpan.Zero)));

    [Fact]
    public void What_is_queued_is_run_before_the_thread_ends()
    {
        Post(Lane.Receive);
        _crew.Stop(TimeSpan.Zero);

        Assert.True(Park());
        _lanes.RunUntilIdle();
        Assert.False(Park());
    }

    private bool Park(Action? meanwhile = null)
    {
        var stays = false;
        var thread = new Thread(() =>
        {
            if (meanwhile is not null)
                _time.OnLook(1, meanwhile);
            stays = _crew.Park(_seat);
        })
        { IsBackground = true };
        thread.Start();

        Assert.True(thread.Join(s_patience), "It sleeps.");
        return stays;
    }

    private void Post(Lane lane)
    {
        _lanes.Post(lane, static () => { });
        _crew.WakeOne();
    }
}
