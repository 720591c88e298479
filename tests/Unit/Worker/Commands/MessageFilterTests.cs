using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class MessageFilterTests
{
    private static readonly DateTimeOffset s_noon = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);
    private static readonly Broker.QueuedMessage s_letter = Calling.Letter("a", "Timeout", s_noon, "", ("customer", 7), ("region", "eu"));

    [Fact]
    public void Without_a_wish_every_message_is_meant()
    {
        Assert.True(new MessageFilter().IsAll);
        Assert.True(new MessageFilter().Matches(Calling.Letter("b")));
    }

    [Fact]
    public void A_message_must_have_all_that_is_asked_for()
    {
        var filter = new MessageFilter { Ids = ["b", "a"], Reason = "timeout", Before = s_noon.AddSeconds(1), After = s_noon.AddSeconds(-1), Properties = [new("customer", "7"), new("region", "eu")] };

        Assert.False(filter.IsAll);
        Assert.True(filter.Matches(s_letter));
        Assert.False((filter with { Ids = ["b"] }).Matches(s_letter));
        Assert.False((filter with { Reason = "Poison" }).Matches(s_letter));
        Assert.False((filter with { Before = s_noon }).Matches(s_letter));
        Assert.False((filter with { After = s_noon }).Matches(s_letter));
        Assert.False((filter with { Properties = [new("customer", "8")] }).Matches(s_letter));
        Assert.False((filter with { Properties = [new("city", "7")] }).Matches(s_letter));
    }

    [Fact]
    public void A_property_is_asked_for_as_it_is_written_whatever_its_type()
    {
        var letter = Calling.Letter("a", null, null, "", ("urgent", true), ("code", "A7"u8.ToArray()), ("weight", 1.5));

        Assert.True(new MessageFilter { Properties = [new("urgent", "true"), new("code", "A7"), new("weight", "1.5")] }.Matches(letter));
        Assert.False(new MessageFilter { Properties = [new("urgent", "false")] }.Matches(letter));
    }

    [Fact]
    public void Of_one_whose_age_nobody_knows_no_age_is_true()
    {
        Assert.False(new MessageFilter { Before = s_noon }.Matches(Calling.Letter("a")));
        Assert.False(new MessageFilter { After = s_noon }.Matches(Calling.Letter("a")));
    }
}
