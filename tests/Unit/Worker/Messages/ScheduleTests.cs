using Holdfast.Virtual;
using Holdfast.Worker.Messages;

namespace Holdfast.Tests.Unit.Worker.Messages;

public sealed class ScheduleTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public void Each_message_has_its_turn()
    {
        var schedule = new Schedule(4, _time);

        Assert.Equal(TimeSpan.FromSeconds(0.25), schedule.UntilNext());
        _time.Advance(TimeSpan.FromSeconds(0.375));
        Assert.Equal(TimeSpan.FromSeconds(0.125), schedule.UntilNext());
    }

    [Fact]
    public void After_a_long_stop_only_a_second_is_caught_up_on()
    {
        var schedule = new Schedule(4, _time);
        _time.Advance(TimeSpan.FromMinutes(1));

        var atOnce = 0;
        while (schedule.UntilNext() == TimeSpan.Zero)
            atOnce++;

        Assert.Equal(5, atOnce);
    }
}
