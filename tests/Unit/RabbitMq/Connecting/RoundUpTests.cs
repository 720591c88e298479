using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class RoundUpTests
{
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(365);

    [Theory]
    [InlineData(0.2, 1)]
    [InlineData(1, 1)]
    [InlineData(9, 9)]
    [InlineData(99, 99)]
    [InlineData(99.5, 100)]
    [InlineData(101, 110)]
    [InlineData(990, 990)]
    [InlineData(991, 1000)]
    [InlineData(1000, 1000)]
    [InlineData(1001, 1100)]
    [InlineData(60_000, 60_000)]
    [InlineData(86_400_000, 87_000_000)]
    public void A_wait_is_rounded_up_to_two_digits(double milliseconds, double rounded) =>
        Assert.Equal(TimeSpan.FromMilliseconds(rounded), Topology.RoundUp(TimeSpan.FromMilliseconds(milliseconds)));

    [Fact]
    public void No_wait_gets_shorter_nor_longer_by_more_than_a_tenth() =>
        Prop.ForAll(Waits(), wait =>
        {
            var rounded = Topology.RoundUp(wait);
            var whole = Math.Ceiling(wait.TotalMilliseconds);

            Assert.InRange(rounded.TotalMilliseconds, whole, whole * 1.1);
            Assert.Equal(rounded, Topology.RoundUp(rounded));
            Assert.Equal(0, rounded.Ticks % TimeSpan.TicksPerMillisecond);
            Assert.True(((long)rounded.TotalMilliseconds).ToString().TrimEnd('0').Length <= 2, $"{rounded} has more than two digits.");
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));

    [Fact]
    public void A_longer_wait_is_never_rounded_to_a_shorter_one() =>
        Prop.ForAll(Waits().Generator.Two().ToArbitrary(), ((TimeSpan One, TimeSpan Other) waits) =>
        {
            var (shorter, longer) = waits.One < waits.Other ? waits : (waits.Other, waits.One);
            Assert.True(Topology.RoundUp(shorter) <= Topology.RoundUp(longer), $"{shorter} is rounded to more than {longer}.");
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2000));

    // As many short ones as long ones.
    private static Arbitrary<TimeSpan> Waits() =>
        Gen.Choose(0, 100_000_000)
            .Select(share => new TimeSpan((long)Math.Pow(s_longest.Ticks, share / 1e8)))
            .ToArbitrary();
}
