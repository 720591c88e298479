using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class EndedTagsTests
{
    [Fact]
    public void In_whatever_order_tags_end_it_knows_up_to_which_all_have() =>
        Prop.ForAll(Gen.Choose(1, 6000).Two().ToArbitrary(), ((int Count, int Window) given) =>
            AreCounted(Shuffled(given.Count, given.Window))).Check(Config.QuickThrowOnFailure.WithMaxTest(60));

    [Fact]
    public void A_tag_that_comes_long_after_all_others_is_kept_until_they_have_ended() =>
        Prop.ForAll(Gen.Choose(1, 300).Two().ToArbitrary(), ((int Near, int Far) given) =>
        {
            var far = (ulong)(given.Near + (given.Far * 97));
            var between = Enumerable.Range(given.Near + 1, (int)far - given.Near - 1).Select(tag => (ulong)tag);
            AreCounted([.. Shuffled(given.Near, given.Near), far, .. between]);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(60));

    [Fact]
    public void While_the_first_has_not_ended_none_have()
    {
        var ended = new EndedTags();
        for (var tag = 20_000UL; tag > 1; tag--)
        {
            ended.Add(tag);
            Assert.Equal(0UL, ended.AllUpTo);
        }

        ended.Add(1);
        Assert.Equal(20_000UL, ended.AllUpTo);
    }

    // Each tag changes places with one that comes less than a window after it: with a window of 1 they end in order.
    private static ulong[] Shuffled(int count, int window)
    {
        var dice = new System.Random(count);
        var tags = Enumerable.Range(1, count).Select(tag => (ulong)tag).ToArray();
        for (var i = 0; i < count; i++)
        {
            var other = Math.Min(count - 1, i + dice.Next(window));
            (tags[i], tags[other]) = (tags[other], tags[i]);
        }

        return tags;
    }

    private static void AreCounted(ulong[] tags)
    {
        var ended = new EndedTags();
        var model = new HashSet<ulong>();
        var allUpTo = 0UL;
        foreach (var tag in tags)
        {
            ended.Add(tag);
            model.Add(tag);
            while (model.Contains(allUpTo + 1))
                allUpTo++;
            Assert.Equal(allUpTo, ended.AllUpTo);
        }

        Assert.Equal((ulong)tags.Length, ended.AllUpTo);
    }
}
