using Holdfast.Broker;

namespace Holdfast.Tests.Unit;

public sealed class RememberedTests
{
    private readonly Remembered<string, int> _remembered = new(most: 3);

    [Fact]
    public void It_keeps_the_latest_value()
    {
        _remembered.Set("a", 1);
        _remembered.Set("a", 2);

        Assert.True(_remembered.TryGet("a", out var value));
        Assert.Equal(2, value);
        Assert.False(_remembered.TryGet("b", out _));
    }

    [Fact]
    public void When_it_is_full_it_forgets_what_it_learnt_first()
    {
        foreach (var name in "abcde")
            _remembered.Set(name.ToString(), name);

        Assert.Equal("cde", string.Concat("abcde".Where(name => _remembered.TryGet(name.ToString(), out _))));
    }

    [Fact]
    public void What_it_knows_already_takes_no_further_room()
    {
        _remembered.Set("a", 1);
        for (var i = 0; i < 10; i++)
            _remembered.Set("b", i);
        _remembered.Set("c", 3);

        Assert.True(_remembered.TryGet("a", out _));
    }
}
