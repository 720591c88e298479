using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class PassageTests
{
    [Fact]
    public void Messages_without_a_key_go_by_all_of_the_tracks_in_turn()
    {
        var passage = new Passage("orders");

        var queues = Enumerable.Range(0, 8).Select(_ => passage.QueueFor(null)).ToArray();

        Assert.Equal(["orders.replay", "orders.replay.2", "orders.replay.3", "orders.replay.4"], queues[..4].Order());
        Assert.Equal(queues[..4], queues[4..]);
    }

    // Written down: what an earlier release left under way must stay before what a later one sends.
    [Theory]
    [InlineData("1", "orders.replay.4")]
    [InlineData("2", "orders.replay")]
    [InlineData("customer 7", "orders.replay")]
    [InlineData("\u00fc", "orders.replay")]
    public void A_key_has_one_track_whatever_goes_between_and_whoever_asks(string key, string queue)
    {
        var passage = new Passage("orders");
        passage.QueueFor(null);
        passage.QueueFor("another");

        Assert.Equal([queue, queue, queue], [passage.QueueFor(key), passage.QueueFor(key), new Passage("orders").QueueFor(key)]);
    }

    [Fact]
    public void Keys_are_spread_over_the_tracks()
    {
        var passage = new Passage("orders");

        Assert.All(Enumerable.Range(0, 1_000).GroupBy(key => passage.QueueFor($"{key}")), track => Assert.InRange(track.Count(), 200, 300));
    }
}
