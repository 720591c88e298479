using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>A process that stood still, as the watch's own thread finds it.</summary>
[Collection(nameof(Alone))]
public sealed class StandstillTests
{
    private readonly LaneLog _log = new();

    [Fact]
    public async Task Nobody_s_turn_is_blamed_for_it_and_it_is_told_once()
    {
        var time = new LeapingTime();
        using var lanes = new LaneScheduler(new() { Threads = 1, LongTurn = TimeSpan.FromSeconds(1) }, time, _log);
        using var answer = new ManualResetEvent(false);
        var waiting = lanes.NewStrand(0, "waits").Run(() => Assert.True(answer.WaitOne(Patience.Longest)));
        Patience.Take(_log.Blocked);

        time.Leap(TimeSpan.FromMinutes(10));

        Assert.InRange(Patience.Take(_log.Standstills).Duration, TimeSpan.FromMinutes(9.9), TimeSpan.FromMinutes(10) + Patience.Longest);
        Assert.InRange(Patience.Take(_log.Long).Duration, TimeSpan.FromSeconds(1), Patience.Longest);
        Assert.Empty(_log.Standstills);
        answer.Set();
        await waiting.WaitAsync(Patience.Longest);
    }

    /// <summary>The system's clock, which may leap as it does for whoever did not run.</summary>
    private sealed class LeapingTime : TimeProvider
    {
        private long _leapt;

        public override long GetTimestamp() => base.GetTimestamp() + Volatile.Read(ref _leapt);

        public void Leap(TimeSpan time) => Volatile.Write(ref _leapt, (long)(time.TotalSeconds * TimestampFrequency));
    }
}
