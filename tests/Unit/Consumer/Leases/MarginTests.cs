using FsCheck;
using FsCheck.Fluent;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class MarginTests
{
    private static readonly LeaseOptions s_options = new() { MinMargin = TimeSpan.FromMilliseconds(10), MaxMargin = TimeSpan.FromSeconds(5) };

    [Fact]
    public void It_starts_at_its_least_and_never_leaves_its_bounds() =>
        Prop.ForAll(Gen.Choose(-1000, 100_000).ArrayOf().ToArbitrary(), delays =>
        {
            var margin = new Margin(s_options);
            Assert.Equal(s_options.MinMargin, margin.Current);
            foreach (var delay in delays)
            {
                margin.Learn(TimeSpan.FromMilliseconds(delay));
                Assert.InRange(margin.Current, s_options.MinMargin, s_options.MaxMargin);
            }
        }).Check(Config.QuickThrowOnFailure);

    [Fact]
    public void It_covers_all_but_one_in_a_thousand_by_no_more_than_twice() =>
        Prop.ForAll(Gen.Choose(11, 2400).ArrayOf(2000).ToArbitrary(), delays =>
        {
            var margin = new Margin(s_options);
            foreach (var delay in delays)
                margin.Learn(TimeSpan.FromMilliseconds(delay));

            var uncovered = delays.Count(delay => TimeSpan.FromMilliseconds(delay) > margin.Current);
            var third = delays.OrderDescending().ElementAt(2);
            Assert.True(uncovered <= 2, $"{uncovered} of 2000 took longer.");
            Assert.True(margin.Current <= TimeSpan.FromMilliseconds(2 * third), $"{margin.Current} is far more than {third} ms.");
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(30));

    [Fact]
    public void One_slow_renewal_among_few_counts_and_among_thousands_does_not()
    {
        var margin = new Margin(s_options);
        margin.Learn(TimeSpan.FromSeconds(1));
        Assert.InRange(margin.Current, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2));

        Learn(margin, 3000);
        Assert.Equal(TimeSpan.FromMilliseconds(10), margin.Current);
    }

    [Fact]
    public void What_was_slow_long_ago_is_forgotten()
    {
        var margin = new Margin(s_options);
        for (var i = 0; i < 100; i++)
            margin.Learn(TimeSpan.FromSeconds(1));
        Learn(margin, 3000);
        Assert.InRange(margin.Current, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2));

        Learn(margin, 20_000);
        Assert.Equal(TimeSpan.FromMilliseconds(10), margin.Current);
    }

    private static void Learn(Margin margin, int times)
    {
        for (var i = 0; i < times; i++)
            margin.Learn(TimeSpan.FromMilliseconds(1));
    }
}
