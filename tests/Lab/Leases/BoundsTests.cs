using Holdfast.Lab.Leases;

namespace Holdfast.Tests.Lab.Leases;

/// <summary>What Holdfast must keep with the published messages, in virtual time: so these are no timings.</summary>
public sealed class BoundsTests
{
    private static readonly int[] s_seeds = [1, 2, 3, 4, 5];

    [Theory]
    [InlineData(1, 100, 1.015)]
    [InlineData(2, 100, 1.03)]
    [InlineData(1, 10_000, 1.001)]
    [InlineData(8, 10_000, 1.001)]
    public void Nothing_is_lost_and_it_takes_hardly_longer_than_the_CPU_alone(int threads, int messages, double most)
    {
        Found[] found = [.. s_seeds[..(messages == 100 ? 5 : 1)].Select(seed => Found(WorkerKind.Lanes, threads, messages, seed))];

        // Where the last turns fall is chance: by a turn, a single seed may be off.
        var turn = found[0].Row.Run.Story.Cpu.TotalSeconds / found[0].Row.CpuAlone;
        Assert.All(found, one => Assert.Equal(0, one.Outcome.Lost));
        Assert.All(found, one => Assert.InRange(one.Times, 1, most + turn));
        Assert.InRange(found.Select(one => one.Times).Order().ElementAt(found.Length / 2), 1, most);
    }

    [Theory]
    [InlineData(1, 1.015)]
    [InlineData(2, 1.03)]
    [InlineData(4, 1.03)]
    [InlineData(8, 1.03)]
    public void In_turns_no_thread_is_idle_before_the_end_whatever_the_chance(int threads, double most)
    {
        Found[] found = [.. s_seeds.Select(seed => Found(WorkerKind.LanesInTurns, threads, messages: 100, seed))];

        Assert.All(found, one => Assert.Equal(0, one.Outcome.Lost));
        Assert.All(found, one => Assert.InRange(one.Times, 1, most));
    }

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void Several_threads_and_few_messages_are_idle_at_the_end_for_no_longer_than_one_messages_IO(int threads)
    {
        var found = Found(WorkerKind.Lanes, threads, messages: 100, seed: 1);
        var io = found.Row.Run.Story.Io * found.Row.Run.Story.Turns;

        Assert.Equal(0, found.Outcome.Lost);
        Assert.InRange(found.Outcome.Total - found.Row.CpuAlone, 0, io.TotalSeconds);
    }

    [Fact]
    public void It_holds_no_more_messages_than_its_threads_can_carry()
    {
        Assert.InRange(Found(WorkerKind.Lanes, threads: 1, messages: 100, seed: 1).Outcome.MostActive, 2, 5);
        Assert.InRange(Found(WorkerKind.Lanes, threads: 8, messages: 10_000, seed: 1).Outcome.MostActive, 16, 40);
    }

    private static Found Found(WorkerKind worker, int threads, int messages, int seed)
    {
        var row = Rows.Holdfast.Single(row => row.Run.Worker == worker && row.Run.Threads == threads && row.Run.Story.Messages == messages && row.Run.Story.Cpu == TimeSpan.FromSeconds(1));
        return new(row, LeasesExperiment.Simulate(row.Run with { Seed = seed }));
    }
}
