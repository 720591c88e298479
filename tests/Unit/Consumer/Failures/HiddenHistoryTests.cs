using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class HiddenHistoryTests
{
    private static readonly Dictionary<string, object?> s_all = new() { ["mine"] = 1, [DeadLetterProperties.Failures] = "[]", ["none"] = null };

    [Fact]
    public void A_handler_sees_all_properties_but_the_history()
    {
        var seen = FailureHistory.Hide(new Message { Id = "a", Properties = s_all }).Properties;

        Assert.Equal(2, seen.Count);
        Assert.Equal([new("mine", 1), new("none", null)], seen);
        Assert.Equal(["mine", "none"], seen.Keys);
        Assert.Equal([1, null], seen.Values);
        Assert.Equal((1, null), (seen["mine"], seen["none"]));
        Assert.True(seen.ContainsKey("mine") && seen.TryGetValue("none", out _));
        Assert.False(seen.ContainsKey(DeadLetterProperties.Failures) || seen.TryGetValue(DeadLetterProperties.Failures, out _));
        Assert.Throws<KeyNotFoundException>(() => seen[DeadLetterProperties.Failures]);
    }

    [Fact]
    public void What_has_none_is_shown_as_it_is()
    {
        var message = new Message { Id = "a", Properties = new Dictionary<string, object?> { ["mine"] = 1 } };

        Assert.Same(message, FailureHistory.Hide(message));
    }

    [Fact]
    public void However_many_there_are_they_are_not_held_twice()
    {
        var many = Enumerable.Range(0, 1_000).ToDictionary(n => $"{n}", n => (object?)n);
        many[DeadLetterProperties.Failures] = "[]";
        var message = new Message { Id = "a", Properties = many };

        Assert.Equal(1_000, FailureHistory.Hide(message).Properties.Count);
        Assert.InRange(Allocated.By(() => FailureHistory.Hide(message)), 0, 500);
    }
}
