using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class DoublingTests
{
    [Theory]
    [InlineData(-5, 1)]
    [InlineData(0, 1)]
    [InlineData(3, 8)]
    [InlineData(5, 30)]
    [InlineData(29, 30)]
    [InlineData(int.MaxValue, 30)]
    public void A_time_doubles_up_to_its_limit_and_never_beyond_what_a_time_can_be(int times, int days) =>
        Assert.Equal(TimeSpan.FromDays(days), Doubling.Of(TimeSpan.FromDays(1), times, TimeSpan.FromDays(30)));
}
