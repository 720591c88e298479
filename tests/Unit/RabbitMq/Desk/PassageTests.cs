using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class PassageTests
{
    [Fact]
    public void Messages_without_a_key_go_by_all_of_the_tracks_in_turn()
    {
        var passage = new Passage("orders");

        var queues = Enumerable.Range(0, 8).Select(_ => passage.QueueFor(null)).ToArray();

        Assert.Equal(["orders.replay.track.1", "orders.replay.track.2", "orders.replay.track.3", "orders.replay.track.4"], queues[..4].Order());
        Assert.Equal(queues[..4], queues[4..]);
    }

    // Written down: what an earlier release left under way must stay before what a later one sends.
    [Theory]
    [InlineData("1", "orders.replay.track.4")]
    [InlineData("2", "orders.replay.track.1")]
    [InlineData("customer 7", "orders.replay.track.1")]
    [InlineData("\u00fc", "orders.replay.track.1")]
    public void A_key_has_one_track_whatever_goes_between_and_whoever_asks(string key, string queue)
    {
        var passage = new Passage("orders");
        passage.QueueFor(null);
        passage.QueueFor("another");

        Assert.Equal([queue, queue, queue], [passage.QueueFor(key), passage.QueueFor(key), new Passage("orders").QueueFor(key)]);
    }

    // What a classic queue hands on goes to the leader that it knows, without a word whether it came there: one that moves costs messages.
    [Fact]
    public async Task Each_track_ends_in_a_queue_of_one_member_beside_the_one_that_leads_to_it()
    {
        var connection = FakeConnection.Open();

        await new Passage("orders").OpenAsync(connection.Connection, new Questions(ServerAddress.Parse("amqp://host"), TimeProvider.System), default);

        var declared = connection.Channels.SelectMany(channel => channel.Declared).ToDictionary();
        Assert.Equal(8, declared.Count);
        Assert.All(Enumerable.Range(1, 4).Select(track => $"orders.replay.track.{track}"), track =>
        {
            Assert.Equal(("classic", $"{track}.sure", 0L), (declared[track]["x-queue-type"], declared[track]["x-dead-letter-routing-key"], declared[track]["x-message-ttl"]));
            Assert.Equal(QueueArguments.OfPassageEnd("orders"), declared[$"{track}.sure"]);
        });
    }

    [Fact]
    public void Keys_are_spread_over_the_tracks()
    {
        var passage = new Passage("orders");

        Assert.All(Enumerable.Range(0, 1_000).GroupBy(key => passage.QueueFor($"{key}")), track => Assert.InRange(track.Count(), 200, 300));
    }
}
