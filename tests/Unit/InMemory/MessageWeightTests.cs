using Holdfast.Broker;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class MessageWeightTests
{
    private static readonly byte[] s_body = new byte[100];

    [Fact]
    public void A_message_that_says_nothing_of_itself_weighs_what_its_body_does() =>
        Assert.Equal((0, 100), (new Message { Id = "a" }.Weight, new Message { Id = "a", Body = s_body }.Weight));

    [Theory]
    [MemberData(nameof(Values))]
    public void A_property_weighs_what_it_takes_in_memory(object? value, int least)
    {
        foreach (var properties in new IReadOnlyDictionary<string, object?>[] { new Dictionary<string, object?> { ["p"] = value }, new SortedDictionary<string, object?> { ["p"] = value } })
            Assert.InRange(new Message { Id = "a", Body = s_body, Properties = properties }.Weight, 100 + least, 300 + least);
    }

    public static TheoryData<object?, int> Values => new()
    {
        { null, 0 },
        { 7, 24 },
        { new string('a', 10_000), 20_000 },
        { new byte[10_000], 10_000 },
        { new ReadOnlyMemory<byte>(new byte[10_000]), 10_000 },
    };

    [Fact]
    public void Its_weight_stays_whatever_becomes_of_what_it_carries_so_that_what_was_added_is_taken_away()
    {
        var properties = new Dictionary<string, object?> { ["p"] = new byte[1_000] };
        var message = new Message { Id = "a", Properties = properties };
        var weight = message.Weight;
        properties.Clear();

        Assert.Equal(weight, message.Weight);
        Assert.Equal(0, message.WithProperties(properties).Weight);
    }

    [Fact]
    public void Whoever_made_it_may_know_better() =>
        Assert.Equal(5, new Message { Id = "a", Body = s_body, Weight = 5 }.Weight);

    [Fact]
    public void To_weigh_it_takes_no_memory()
    {
        var properties = new Dictionary<string, object?> { ["p"] = "text", ["q"] = 7 };
        var message = Allocated.By(() => _ = new Message { Id = "a", Properties = properties });

        Assert.Equal(message, Allocated.By(() => _ = new Message { Id = "a", Properties = properties }.Weight));
    }

    [Fact]
    public void Nothing_weighs_more_than_can_be_told() => Assert.Equal(int.MaxValue, Footprint.Told(3L << 30));
}
