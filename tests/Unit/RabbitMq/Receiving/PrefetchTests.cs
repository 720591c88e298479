using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class PrefetchTests
{
    private const int MostSteps = 20;
    private const int MostTaps = 8;

    [Fact]
    public void Whatever_is_wanted_a_few_steps_lead_close_to_it() =>
        Prop.ForAll(Wishes(Gen.Choose(0, 300)), wishes => FollowAll(wishes)).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    [Fact]
    public void Even_more_than_the_protocol_can_say_comes_to_an_end() =>
        Prop.ForAll(Wishes(Gen.Choose(0, 2_000_000)), wishes => FollowAll(wishes)).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    [Fact]
    public void To_want_nothing_ends_all_consumers()
    {
        Assert.Equal(PrefetchChange.EndAll, Prefetch.Change(wanted: 0, open: 1, taps: 1, leftover: 0));
        Assert.Equal(PrefetchChange.EndAll, Prefetch.Change(wanted: 0, open: 30, taps: 3, leftover: 7));
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 0, open: 0, taps: 0, leftover: 7));
    }

    [Fact]
    public void The_first_consumer_gets_all_that_is_wanted()
    {
        Assert.Equal(PrefetchChange.Add(1), Prefetch.Change(wanted: 1, open: 0, taps: 0, leftover: 0));
        Assert.Equal(PrefetchChange.Add(50), Prefetch.Change(wanted: 50, open: 0, taps: 0, leftover: 0));
        Assert.Equal(PrefetchChange.Add(1), Prefetch.Change(wanted: 50, open: 0, taps: 0, leftover: 49));
    }

    [Fact]
    public void A_little_more_or_less_is_not_worth_a_change()
    {
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 100, open: 100, taps: 1, leftover: 0));
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 111, open: 100, taps: 1, leftover: 0));
        Assert.Equal(PrefetchChange.Add(12), Prefetch.Change(wanted: 112, open: 100, taps: 1, leftover: 0));
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 75, open: 100, taps: 1, leftover: 0));
        Assert.Equal(PrefetchChange.EndAll, Prefetch.Change(wanted: 74, open: 100, taps: 1, leftover: 0));
    }

    [Fact]
    public void But_it_is_where_somebody_waits_and_nothing_can_come()
    {
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 256, open: 1, taps: 1, leftover: 254));
        Assert.Equal(PrefetchChange.Add(1), Prefetch.Change(wanted: 256, open: 1, taps: 1, leftover: 254, isParched: true));
        Assert.Equal(PrefetchChange.EndAll, Prefetch.Change(wanted: 256, open: 8, taps: 8, leftover: 247, isParched: true));
        Assert.Equal(PrefetchChange.None, Prefetch.Change(wanted: 256, open: 1, taps: 1, leftover: 255, isParched: true));
    }

    private static Arbitrary<(int Wanted, int Busy)[]> Wishes(Gen<int> wanted) =>
        wanted.SelectMany(_ => Gen.Choose(0, 100), (n, busy) => (n, busy)).ArrayOf().ToArbitrary();

    private static void FollowAll((int Wanted, int Busy)[] wishes)
    {
        var taps = new List<int>();
        var leftover = 0;
        foreach (var (wanted, busy) in wishes)
        {
            leftover = leftover * busy / 100;
            leftover += Follow(taps, wanted, leftover, busy);
            IsSettled(taps, wanted, leftover);
        }
    }

    // Returns how many of the ended consumers' messages are still in hand: so many in a hundred.
    private static int Follow(List<int> taps, int wanted, int leftover, int busy)
    {
        var more = 0;
        for (var step = 0; step < MostSteps; step++)
        {
            var change = Prefetch.Change(wanted, taps.Sum(), taps.Count, leftover + more);
            if (change == PrefetchChange.None)
                return more;

            if (change.IsEnd)
            {
                Assert.NotEmpty(taps);
                more += (int)((long)taps.Sum() * busy / 100);
                taps.Clear();
            }
            else
            {
                Assert.InRange(change.More, 1, ushort.MaxValue);
                taps.Add(change.More);
                Assert.InRange(taps.Sum() + leftover + more, 1, wanted);
            }
        }

        Assert.Fail($"Still not done after {MostSteps} steps towards {wanted}.");
        return more;
    }

    private static void IsSettled(List<int> taps, int wanted, int leftover)
    {
        var have = taps.Sum() + leftover;
        var possible = Math.Min(wanted, leftover + (MostTaps * ushort.MaxValue));
        Assert.InRange(taps.Count, 0, MostTaps);
        Assert.True(taps.Count == 0 || have - (have / 4) <= wanted, $"{have} where {wanted} are wanted.");
        Assert.True(possible - have < Math.Max(1, have / 8), $"Only {have} where {wanted} are wanted.");
        Assert.True(wanted <= leftover || taps.Count > 0, "Something is wanted, and nothing is open.");
        Assert.True(wanted > 0 || taps.Count == 0, "Nothing is wanted, and something is open.");
    }
}
