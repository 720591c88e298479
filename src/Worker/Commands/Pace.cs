using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Commands;

/// <summary>Keeps to a rate, whatever pauses there were. Without a rate it never waits.</summary>
internal sealed class Pace(double? perSecond, TimeProvider time)
{
    private Schedule? _schedule;

    public async ValueTask NextAsync(CancellationToken cancel)
    {
        if (perSecond is not { } rate)
            return;

        // The first goes at once, however long it was in coming.
        if (_schedule is null)
            _schedule = new Schedule(rate, time);
        else if (_schedule.UntilNext() is var early && early > TimeSpan.Zero)
            await Task.Delay(early, time, cancel);
    }
}
