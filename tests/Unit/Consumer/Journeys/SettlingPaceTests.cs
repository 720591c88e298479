using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>How often a settlement that the broker refuses for now is sent.</summary>
public sealed class SettlingPaceTests : IDisposable
{
    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);

    private SettlingPace _pace;
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void It_waits_longer_each_time_and_no_two_alike()
    {
        Assert.Equal([200, 300, 450], Enumerable.Range(0, 3).Select(_ => _pace.Next(null, s_minute, 0).TotalMilliseconds));
        Assert.Equal(250, default(SettlingPace).Next(null, s_minute, 1).TotalMilliseconds);
    }

    [Theory]
    [InlineData(2, 60, 2)]
    [InlineData(0.1, 60, 0.2)]
    [InlineData(10, 60, 10)]
    [InlineData(60, 300, 10)]
    [InlineData(10, 8, 2)]
    [InlineData(10, 0.4, 0.2)]
    public void It_waits_for_as_long_as_the_broker_asks_but_so_that_it_is_in_time(double asked, double left, double waits) =>
        Assert.Equal(waits, _pace.Next(TimeSpan.FromSeconds(asked), TimeSpan.FromSeconds(left), 0).TotalSeconds);

    [Fact]
    public void A_broker_that_refuses_for_a_whole_lease_is_asked_seldom_and_until_its_end()
    {
        var hand = _hand = new EngineByHand((_, _) => new(Settlement.Complete)).Start();
        hand.Faults.Settlements.Fail();
        hand.Send("a");

        hand.Run(9.9);

        var tries = hand.Spy.Events.Where(what => what.EndsWith("settling a Complete", StringComparison.Ordinal)).ToArray();
        Assert.InRange(tries.Length, 8, 20);
        Assert.InRange(double.Parse(tries[^1].Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture), 9, 9.75);
        Assert.Empty(hand.Spy.Untrusted);
        Assert.Equal(1, hand.Misses(MissReason.Connection));
    }
}
