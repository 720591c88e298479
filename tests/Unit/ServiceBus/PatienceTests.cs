using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class PatienceTests
{
    [Theory]
    [InlineData(30, 10, 20, 30, 30)]
    [InlineData(60, 10, 20, 40, 60)]
    [InlineData(4, 4, 4, 4, 4)]
    public async Task Each_answer_that_does_not_come_is_waited_for_longer_than_the_last_and_none_longer_than_may_be(int most, params int[] waits)
    {
        var patience = new Patience(TimeSpan.FromSeconds(most));

        foreach (var wait in waits)
            Assert.Equal(TimeSpan.FromSeconds(wait), await InVainAsync(patience));
    }

    [Fact]
    public async Task After_one_that_came_it_begins_anew()
    {
        var patience = new Patience(TimeSpan.FromSeconds(30));
        await InVainAsync(patience);

        Assert.Equal(TimeSpan.FromSeconds(20), await patience.AskAsync(wait => ValueTask.FromResult(wait)));
        Assert.Equal(TimeSpan.FromSeconds(10), await InVainAsync(patience));
    }

    private static async Task<TimeSpan> InVainAsync(Patience patience)
    {
        var waited = TimeSpan.Zero;
        await Assert.ThrowsAsync<BrokerException>(() => patience.AskAsync(
            wait =>
            {
                waited = wait;
                return ValueTask.FromException<int>(new BrokerException("It has not answered.", isTransient: true));
            }).AsTask());
        return waited;
    }
}
