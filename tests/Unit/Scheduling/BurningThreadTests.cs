using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

[Collection(nameof(Alone))]
public sealed class BurningThreadTests
{
    private readonly LaneLog _log = new();

    [Fact]
    public async Task A_thread_that_burns_CPU_is_not_replaced_but_reported_as_long()
    {
        using var lanes = new LaneScheduler(new() { Threads = 1, LongTurn = TimeSpan.FromMilliseconds(200) }, TimeProvider.System, _log);
        var (burns, nextRan) = (false, false);

        // What it runs while it is watched was compiled before: a thread that waits for the compiler is blocked.
        Assert.False(IsTold());
        var burning = lanes.NewStrand(0, "burns").Run(() =>
        {
            Volatile.Write(ref burns, true);
            Patience.SpinUntil(IsTold);
            Assert.False(Volatile.Read(ref nextRan));
        });
        Patience.SpinUntil(() => Volatile.Read(ref burns));
        _ = lanes.NewStrand(9, "next").Run(() => Volatile.Write(ref nextRan, true));

        await burning.WaitAsync(Patience.Longest);
        Assert.Empty(_log.Blocked);
        var report = Assert.Single(_log.Long);
        Assert.Equal(("burns", Lane.Process), (report.Name, report.Lane));
        Assert.InRange(report.Duration, TimeSpan.FromMilliseconds(200), Patience.Longest);

        bool IsTold() => _log.Long.Count > 0;
    }
}
