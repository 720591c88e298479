using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What the watch makes of a look that comes late, with two CPUs and a look due every 50 ms.</summary>
public sealed class StandstillsTests
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);

    private readonly Standstills _standstills = new(cpus: 2);

    [Fact]
    public void A_process_that_used_no_CPU_all_the_while_stood_still() => Assert.Equal((45, false), Told(gap: 45.05));

    [Fact]
    public void What_all_CPUs_did_until_it_began_is_allowed_for() => Assert.Equal((45, false), Told(gap: 45.05, cpu: 0.1));

    [Fact]
    public void Late_by_a_second_is_nothing()
    {
        Assert.Null(Told(gap: 1.05));
        Assert.NotNull(Told(new Standstills(cpus: 2), gap: 1.06, cpu: 0, collecting: 0));
    }

    [Theory]
    [InlineData(45)]
    [InlineData(3)]
    public void Where_others_of_the_process_had_the_CPU_the_watch_alone_was_late(double cpu) => Assert.Null(Told(gap: 45.05, cpu));

    [Fact]
    public void A_process_whose_quota_is_a_small_part_of_a_CPU_runs_all_the_same() =>
        Assert.Null(Told(new Standstills(cpus: 0.05), gap: 10, cpu: 0.05 * 10, collecting: 0));

    [Fact]
    public void A_garbage_collection_is_named_and_counts_for_as_long_as_it_took() => Assert.Equal((40, true), Told(gap: 45.05, cpu: 90, collecting: 40));

    [Fact]
    public void Each_look_is_held_against_the_one_before()
    {
        Assert.NotNull(Told(gap: 45));
        Assert.Null(_standstills.At(new(TimeSpan.FromSeconds(145.05), TimeSpan.FromSeconds(7), default), s_period));
    }

    private (double Seconds, bool IsCollection)? Told(double gap, double cpu = 0, double collecting = 0) => Told(_standstills, gap, cpu, collecting);

    // Counted from a process that has lived for a while.
    private static (double Seconds, bool IsCollection)? Told(Standstills standstills, double gap, double cpu, double collecting)
    {
        Assert.Null(standstills.At(Sample(0, 0, 0), s_period));
        return standstills.At(Sample(gap, cpu, collecting), s_period) is { } told ? (Math.Round(told.Duration.TotalSeconds, 6), told.IsCollection) : null;

        static ProcessSample Sample(double at, double cpu, double collecting) =>
            new(TimeSpan.FromSeconds(100 + at), TimeSpan.FromSeconds(7 + cpu), TimeSpan.FromSeconds(1 + collecting));
    }
}
