using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class MessageSamplingTests
{
    private readonly MessageSampling _sampling = new();

    [Fact]
    public void At_ordinary_rates_each_message_is_measured()
    {
        _sampling.Adapt(1_000);
        Assert.All(Weights(1_000), weight => Assert.Equal(1, weight));
    }

    [Fact]
    public void Beyond_them_one_in_many_is_and_counts_for_all()
    {
        _sampling.Adapt(40_000);
        var weights = Weights(64_000);

        Assert.InRange(weights.Sum(), 64 * 990, 64 * 1_010);
        Assert.Equal([0, 64], weights.Distinct().Order());
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    public void Queues_that_take_turns_on_a_thread_are_each_measured_for_what_they_are(int queues)
    {
        var all = Enumerable.Range(0, queues).Select(_ => new MessageSampling()).ToArray();
        var sums = new int[queues];
        foreach (var sampling in all)
            sampling.Adapt(40_000);

        for (var i = 0; i < 64_000 * queues; i++)
            sums[i % queues] += all[i % queues].Weight();

        Assert.All(sums, sum => Assert.InRange(sum, 64 * 990, 64 * 1_010));
    }

    [Fact]
    public void A_rush_that_begins_between_two_looks_is_not_measured_to_its_end()
    {
        var weights = Weights(64_000);

        Assert.InRange(weights.Sum(), 63_900, 64_100);
        Assert.InRange(weights.Count(weight => weight > 0), 1_000, 8_000);
    }

    [Fact]
    public void Once_the_rush_is_over_each_is_measured_again()
    {
        _sampling.Adapt(40_000);
        _sampling.Adapt(40_100);
        Assert.All(Weights(1_000), weight => Assert.Equal(1, weight));
    }

    private int[] Weights(int messages) => [.. Enumerable.Range(0, messages).Select(_ => _sampling.Weight())];
}
