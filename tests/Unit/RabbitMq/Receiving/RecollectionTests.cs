using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class RecollectionTests
{
    private readonly Recollection _recollection = new();

    [Fact]
    public void A_message_that_comes_for_the_first_time_is_delivery_one() =>
        Assert.Equal(1, Count(Arriving.Message("a")));

    [Theory]
    [InlineData("x-delivery-count")]
    [InlineData("x-acquired-count")]
    public void The_server_s_count_is_believed_while_it_counts(string header)
    {
        foreach (var count in new object[] { 2L, 3, 4L, 7L })
            Assert.Equal(Convert.ToInt32(count) + 1, Count(Arriving.Message("a", isRedelivered: true, headers: (header, count))));
        Assert.Equal(3, Count(Arriving.Message("b", isRedelivered: true, headers: (header, 2L))));
    }

    [Theory]
    [InlineData("x-delivery-count", 4L, 6)]
    [InlineData("x-acquired-count", 4L, 6)]
    [InlineData("x-delivery-count", 0L, 3)]
    public void A_count_that_its_sender_wrote_and_no_server_ever_changes_is_gone_on_from(string header, object written, int third)
    {
        var again = Arriving.Message("a", isRedelivered: true, headers: (header, written));

        Assert.Equal([third - 1, third, third + 1], new[] { Count(again), Count(again), Count(again) });
    }

    [Fact]
    public void Where_the_queue_is_known_to_count_messages_that_nothing_tells_apart_are_counted_each_by_itself()
    {
        var recollection = new Recollection(serverCounts: true);
        var again = Arriving.Message("tick", isRedelivered: true, headers: ("x-delivery-count", 1L));

        Assert.Equal([2, 2, 2], new[] { recollection.DeliveryCount(again, "tick"), recollection.DeliveryCount(again, "tick"), recollection.DeliveryCount(again, "tick") });
    }

    [Fact]
    public void What_was_merely_given_back_does_not_count_where_the_server_tells_it_from_what_failed()
    {
        foreach (var acquired in new[] { 1L, 2L, 3L })
            Assert.Equal(2, Count(Arriving.Message("a", isRedelivered: true, headers: [("x-delivery-count", 1L), ("x-acquired-count", acquired)])));
    }

    [Fact]
    public void That_none_has_failed_tells_nothing_of_how_often_it_was_handed_out()
    {
        foreach (var acquired in new[] { 1L, 2L, 3L })
            Assert.Equal(acquired + 1, Count(Arriving.Message("a", isRedelivered: true, headers: [("x-delivery-count", 0L), ("x-acquired-count", acquired)])));
    }

    [Theory]
    [InlineData("x-delivery-count")]
    [InlineData("x-acquired-count")]
    public void What_another_queue_counted_before_it_was_moved_here_does_not_count(string header)
    {
        Assert.Equal(1, Count(Arriving.Message("a", headers: (header, 10L))));
        Assert.Equal(4, Count(Arriving.Message("a", headers: [(header, 10L), ("holdfast-deliveries", 3)])));
    }

    [Fact]
    public void What_failed_counts_before_what_was_merely_handed_out() =>
        Assert.Equal(2, Count(Arriving.Message("a", isRedelivered: true, headers: [("x-delivery-count", 1L), ("x-acquired-count", 7L)])));

    [Fact]
    public void What_we_counted_before_we_sent_it_on_is_added()
    {
        Assert.Equal(4, Count(Arriving.Message("a", headers: ("holdfast-deliveries", 3))));
        Assert.Equal(6, Count(Arriving.Message("a", isRedelivered: true, headers: [("holdfast-deliveries", 3), ("x-delivery-count", 2L)])));
    }

    [Theory]
    [InlineData(-2_000_000_000, 1)]
    [InlineData(-1, 1)]
    [InlineData(int.MaxValue, 1_000_001)]
    [InlineData(long.MaxValue, 1_000_001)]
    public void Whatever_a_sender_writes_there_a_delivery_is_the_first_or_a_later_one(object written, int deliveries)
    {
        Assert.Equal(deliveries, Count(Arriving.Message("a", headers: ("holdfast-deliveries", written))));
        Assert.InRange(Count(Arriving.Message("a", isRedelivered: true, headers: [("holdfast-deliveries", written), ("x-delivery-count", written)])), 2, 3_000_000);
    }

    [Fact]
    public void Where_the_server_does_not_count_we_do()
    {
        var again = Arriving.Message("a", isRedelivered: true);

        Assert.Equal([2, 3, 4], new[] { Count(again), Count(again), Count(again) });
        Assert.Equal(2, Count(Arriving.Message("b", isRedelivered: true)));
    }

    [Fact]
    public void A_copy_that_was_sent_on_is_counted_by_itself()
    {
        Assert.Equal(2, Count(Arriving.Message("a", isRedelivered: true)));
        Assert.Equal(3, Count(Arriving.Message("a", isRedelivered: true)));

        Assert.Equal(4, Count(Arriving.Message("a", headers: ("holdfast-deliveries", 3))));
        Assert.Equal(5, Count(Arriving.Message("a", isRedelivered: true, headers: ("holdfast-deliveries", 3))));
        Assert.Equal(4, Count(Arriving.Message("a", isRedelivered: true)));
    }

    [Theory]
    [MemberData(nameof(LaterLives))]
    public void A_dead_letter_that_came_back_is_counted_by_itself(string header, object value)
    {
        Assert.Equal(2, Count(Arriving.Message("a", isRedelivered: true)));

        Assert.Equal(1, Count(Arriving.Message("a", headers: (header, value))));
        Assert.Equal(2, Count(Arriving.Message("a", isRedelivered: true, headers: (header, value))));
    }

    public static TheoryData<string, object> LaterLives => new()
    {
        { "holdfast-replays", 1L },
        { "dead-letter-time", new AmqpTimestamp(1_700_000_000) },
    };

    [Fact]
    public void Of_a_settled_message_the_original_is_known_and_no_copy_that_was_sent_on()
    {
        _recollection.NoteSettled([new MessageKey("a", 0)]);

        Assert.True(_recollection.IsSettled(new MessageKey("a", 0)));
        Assert.False(_recollection.IsSettled(new MessageKey("a", 1)));
        Assert.False(_recollection.IsSettled(new MessageKey("b", 0)));
    }

    [Fact]
    public void It_does_not_remember_for_ever()
    {
        _recollection.NoteSettled([new MessageKey("a", 0)]);
        _recollection.NoteSettled(Enumerable.Range(0, 20_000).Select(n => new MessageKey($"later {n}", 0)));

        Assert.False(_recollection.IsSettled(new MessageKey("a", 0)));
        Assert.True(_recollection.IsSettled(new MessageKey("later 0", 0)));
    }

    private int Count(Arrival arrival) => _recollection.DeliveryCount(arrival, arrival.Envelope.MessageId!);
}
