using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The kernel's own, and what stands in for it elsewhere.</summary>
public sealed class BellTests
{
    private const int Rings = 10_000;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public static TheoryData<bool> Kinds => [true, false];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_ring_that_nobody_waits_for_is_kept_for_one_wait(bool ofKernel)
    {
        var bell = new Bell(ofKernel);

        bell.Ring();
        bell.Ring();

        Assert.True(bell.Wait(TimeSpan.Zero));
        Assert.False(bell.Wait(TimeSpan.Zero));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_wait_ends_when_its_time_is_over(bool ofKernel) => Assert.False(new Bell(ofKernel).Wait(TimeSpan.FromMilliseconds(1)));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Two_threads_wake_each_other_in_turn_and_no_ring_is_missed(bool ofKernel)
    {
        var (here, there, isAnswered) = (new Bell(ofKernel), new Bell(ofKernel), true);
        var other = new Thread(() =>
        {
            for (var n = 0; n < Rings && there.Wait(s_patience); n++)
                here.Ring();
        });
        other.Start();

        for (var n = 0; n < Rings && isAnswered; n++)
        {
            there.Ring();
            isAnswered = here.Wait(s_patience);
        }

        Assert.True(isAnswered);
        other.Join();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_thread_that_waits_without_a_limit_is_woken(bool ofKernel)
    {
        var bell = new Bell(ofKernel);
        var waiter = new Thread(bell.Wait) { IsBackground = true };
        waiter.Start();

        bell.Ring();

        Assert.True(waiter.Join(s_patience));
    }
}
