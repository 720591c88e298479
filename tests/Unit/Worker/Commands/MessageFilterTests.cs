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
    public async Task What_a_story_shows_of_a_property_is_what_a_filter_finds_it_by()
    {
        var properties = new (string, object?)[]
        {
            ("yes", true), ("no", false), ("at", s_noon.AddMilliseconds(5)), ("whole", 7), ("part", 1.5), ("large", 1e20), ("single", 0.1f), ("code", "A7"u8.ToArray()), ("digest", new byte[] { 0xff, 0x00 }), ("nothing", null), ("key", Guid.Empty),
        };
        var letter = Calling.Letter("a", properties: properties);
        using var call = new Calling { Desk = new() { Letters = [letter] } };
        await call.RunAsync("dead", "show", "a");

        var shown = call.Output.Where(line => line.Contains(" = ", StringComparison.Ordinal)).Select(line => line.Trim().Split(" = ")).Select(pair => KeyValuePair.Create(pair[0], pair[1])).ToArray();

        Assert.Equal(properties.Length, shown.Length);
        Assert.All(shown, property => Assert.True(new MessageFilter { Properties = [property] }.Matches(letter), $"{property}"));
        Assert.Contains(KeyValuePair.Create("yes", "true"), shown);
    }

    [Theory]
    [InlineData("urgent", "TRUE", true)]
    [InlineData("urgent", "False", false)]
    [InlineData("at", "2026-01-02 12:00:00Z", true)]
    [InlineData("at", "2026-01-02T12:00:00.25+00:00", true)]
    [InlineData("at", "2026-01-02T13:00:00+01:00", true)]
    [InlineData("at", "2026-01-02T12:00:00.2501Z", false)]
    [InlineData("at", "2026-01-02T12:00:01Z", false)]
    [InlineData("at", "noon", false)]
    [InlineData("count", "7.0", true)]
    [InlineData("count", "70", false)]
    [InlineData("weight", "1.50", true)]
    [InlineData("name", "X", false)]
    public void A_property_is_compared_as_what_it_is(string name, string written, bool matches)
    {
        var letter = Calling.Letter("a", null, null, "", ("urgent", true), ("at", s_noon.AddMilliseconds(250)), ("count", 7L), ("weight", 1.5m), ("name", "x"));

        Assert.Equal(matches, new MessageFilter { Properties = [new(name, written)] }.Matches(letter));
    }

    [Fact]
    public void One_that_is_too_deep_to_be_told_is_none_that_is_meant()
    {
        object? deep = "x";
        for (var depth = 0; depth < 100; depth++)
            deep = new List<object?> { deep };

        Assert.False(new MessageFilter { Properties = [new("deep", "x")] }.Matches(Calling.Letter("a", properties: ("deep", deep))));
    }

    [Fact]
    public void Of_one_whose_age_nobody_knows_no_age_is_true()
    {
        Assert.False(new MessageFilter { Before = s_noon }.Matches(Calling.Letter("a")));
        Assert.False(new MessageFilter { After = s_noon }.Matches(Calling.Letter("a")));
    }
}
