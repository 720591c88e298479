using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class CompletedIdsTests
{
    private readonly VirtualTime _time = new();
    private readonly CompletedIds _ids;

    public CompletedIdsTests() => _ids = new CompletedIds(_time);

    [Fact]
    public void An_id_is_known_for_an_hour()
    {
        _ids.Remember("a");
        Assert.True(_ids.Contains("a"));
        Assert.False(_ids.Contains("b"));

        _time.Advance(TimeSpan.FromHours(1));
        Assert.True(_ids.Contains("a"));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(_ids.Contains("a"));
    }

    [Fact]
    public void An_id_remembered_again_is_known_from_then_on()
    {
        _ids.Remember("a");
        _time.Advance(TimeSpan.FromMinutes(40));
        _ids.Remember("a");
        _time.Advance(TimeSpan.FromMinutes(40));

        Assert.True(_ids.Contains("a"));
    }

    [Fact]
    public void The_oldest_makes_room_for_the_newest()
    {
        for (var i = 0; i <= 10_000; i++)
            _ids.Remember($"m{i}");

        Assert.False(_ids.Contains("m0"));
        Assert.True(_ids.Contains("m1"));
        Assert.True(_ids.Contains("m10000"));
    }
}
