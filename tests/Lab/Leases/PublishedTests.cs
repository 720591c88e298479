using Holdfast.Lab.Leases;

namespace Holdfast.Tests.Lab.Leases;

/// <summary>What was published comes out again, in virtual time: so these are no timings.</summary>
public sealed class PublishedTests
{
    [Theory]
    [InlineData("thread pool, 100 ms", 0, 45, 55, 21, 24)]
    [InlineData("thread pool, 1 s", 0, 95, 120, 38, 44)]
    [InlineData("one thread, first in first out, 100 ms", 3, 200, 240, 30, 42)]
    [InlineData("one thread, first in first out, 1 s", 90, 470, 510, 55, 80)]
    [InlineData("one thread, priorities handed round, 1 s", 0, 2000, 2100, 40, 80)]
    public void Each_published_row_loses_what_it_lost_and_takes_as_long(string name, int lost, double leastTotal, double mostTotal, double leastMessage, double mostMessage)
    {
        var row = Rows.Published.Single(row => row.Name == name);
        foreach (var seed in (int[])[1, 2, 3])
        {
            var outcome = LeasesExperiment.Simulate(row.Run with { Seed = seed });

            Assert.Equal(row.Run.Story.Messages, outcome.Spans.Length);
            Assert.InRange(outcome.Lost, lost - 1, lost + 1);
            Assert.InRange(outcome.Total, leastTotal, mostTotal);
            Assert.InRange(outcome.Mean!.Value, leastMessage, mostMessage);
        }
    }

    [Fact]
    public void First_in_first_out_loses_nothing_where_a_lock_outlasts_the_queue()
    {
        var run = Rows.Published.Single(row => row.Name == Rows.FifoSlow).Run;
        var patient = run with { Story = run.Story with { Lock = TimeSpan.FromHours(1) } };

        Assert.Equal(0, LeasesExperiment.Simulate(patient).Lost);
    }

    [Fact]
    public void The_same_seed_gives_the_same_lives_and_another_one_others()
    {
        foreach (var row in Rows.Published.Concat(Rows.Holdfast).Where(row => row.Run.Story.Messages == 100))
        {
            var once = LeasesExperiment.Simulate(row.Run with { Seed = 7 });

            Assert.Equal(once.Spans, LeasesExperiment.Simulate(row.Run with { Seed = 7 }).Spans);
            Assert.NotEqual(once.Spans, LeasesExperiment.Simulate(row.Run with { Seed = 8 }).Spans);
        }
    }
}
