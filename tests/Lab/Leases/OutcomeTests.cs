using Holdfast.Lab.Leases;

namespace Holdfast.Tests.Lab.Leases;

public sealed class OutcomeTests
{
    [Fact]
    public void Lost_messages_are_counted_and_kept_out_of_the_mean()
    {
        var outcome = Outcome.Of([Life(0, 10), Life(1, 31), Life(2, 100, lost: 50)], threads: 3);

        Assert.Equal((100, 20, 1, 3), (outcome.Total, outcome.Mean, outcome.Lost, outcome.Threads));
        Assert.Equal(new Span(2, 100, 50), outcome.Spans[^1]);
    }

    [Fact]
    public void There_is_no_mean_where_all_were_lost() => Assert.Null(Outcome.Of([Life(0, 10, lost: 5)], threads: 1).Mean);

    [Fact]
    public void A_message_that_comes_as_another_ends_is_not_in_hand_with_it() =>
        Assert.Equal(2, Outcome.Of([Life(0, 10), Life(5, 20), Life(10, 30)], threads: 1).MostActive);

    [Fact]
    public void Two_outcomes_agree_within_a_tenth_of_time_and_of_leases()
    {
        var row = Rows.Published[0];
        var expected = new Outcome(100, 20, 5, 10, 1);

        Assert.True(new Compared(row, expected, expected with { Total = 109, Mean = 18.5, Lost = 14 }).Agrees);
        Assert.False(new Compared(row, expected, expected with { Total = 111 }).Agrees);
        Assert.False(new Compared(row, expected, expected with { Mean = 17.9 }).Agrees);
        Assert.False(new Compared(row, expected, expected with { Lost = 16 }).Agrees);
    }

    [Fact]
    public void What_runs_at_its_own_pace_need_not_agree() =>
        Assert.Null(new Compared(Rows.DotNetPool[0], new(100, 20, 5, 10, 1), new(200, 20, 5, 10, 1)).Agrees);

    [Fact]
    public void A_bound_holds_only_without_a_loss()
    {
        var row = Rows.Holdfast.Single(row => row.Name == Rows.LanesSlow);
        var inTime = new Outcome(row.CpuAlone, 50, 0, 4, 1);

        Assert.True(new Found(row, inTime).Holds);
        Assert.False(new Found(row, inTime with { Lost = 1 }).Holds);
        Assert.False(new Found(row, inTime with { Total = row.CpuAlone * 1.016 }).Holds);
        Assert.Null(new Found(Rows.Published[0], inTime).Holds);
    }

    private static Life Life(double from, double to, double? lost = null) => new()
    {
        Received = TimeSpan.FromSeconds(from),
        Ended = TimeSpan.FromSeconds(to),
        Lost = lost is { } at ? TimeSpan.FromSeconds(at) : null,
    };
}
