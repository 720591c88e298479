using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class BatchTests
{
    private const ulong SmallestTier = 256 * 1024;
    private const ulong Premium = 100 * 1024 * 1024;

    private readonly Queue<Parcel> _waiting = new();

    [Fact]
    public void What_waits_travels_together_up_to_the_size_that_is_taken()
    {
        for (var n = 0; n < 5; n++)
            Wait(100_000);

        Assert.Equal(2, Batch.Take(_waiting, SmallestTier).Count);
        Assert.Equal(3, Batch.Take(_waiting, Premium).Count);
        Assert.Empty(Batch.Take(_waiting, Premium));
    }

    [Fact]
    public void Together_they_are_no_larger_than_a_megabyte_however_large_one_alone_may_be()
    {
        for (var n = 0; n < 3; n++)
            Wait(500_000);
        Wait(5_000_000);

        Assert.Equal([2, 1, 1], Enumerable.Range(0, 3).Select(_ => Batch.Take(_waiting, Premium).Count));
    }

    [Fact]
    public void The_first_goes_whatever_its_size_so_that_its_sender_is_told()
    {
        Wait(300_000);
        Wait(1);

        Assert.Single(Batch.Take(_waiting, SmallestTier));
    }

    [Fact]
    public void Only_messages_of_one_session_travel_together_and_their_order_is_kept()
    {
        foreach (var session in new[] { "a", "a", "b", "a", null })
            Wait(1, session);

        Assert.Equal([2, 1, 1, 1], Enumerable.Range(0, 4).Select(_ => Batch.Take(_waiting, SmallestTier).Count));
    }

    [Fact]
    public void Only_messages_of_one_partition_key_travel_together()
    {
        foreach (var key in new[] { "a", "a", "b", null })
            Wait(1, partitionKey: key);

        Assert.Equal([2, 1, 1], Enumerable.Range(0, 3).Select(_ => Batch.Take(_waiting, SmallestTier).Count));
    }

    [Fact]
    public void What_was_called_off_stays()
    {
        Wait(1).TrySetCanceled();
        var kept = Wait(2);
        Wait(1).TrySetCanceled();

        Assert.Equal([kept], Batch.Take(_waiting, SmallestTier));
        Assert.Empty(_waiting);
    }

    [Fact]
    public void Each_message_is_one_section_of_data()
    {
        using var writer = new AmqpWriter();
        Batch.Write(writer, [Wait(3), Wait(300)]);

        var sections = Assert.IsType<DataBody>(AmqpMessage.Decode(writer.ToArray()).Body).Sections;

        Assert.Equal([3, 300], sections.Select(section => section.Length));
        Assert.InRange(writer.Length, 0, 303 + (2 * 8) + 16);
    }

    [Fact]
    public void Its_head_says_where_all_of_them_go()
    {
        using var writer = new AmqpWriter();
        Batch.Write(writer, [Wait(1, "s", "k"), Wait(1, "s", "k")]);

        var head = AmqpMessage.Decode(writer.ToArray());

        Assert.Equal(("id", "s", "k"), (head.Properties!.MessageId, head.Properties.GroupId, Annotations.PartitionKeyOf(head)));
    }

    private Parcel Wait(int size, string? session = null, string? partitionKey = null)
    {
        var parcel = new Parcel(new byte[size], "id", session, partitionKey);
        _waiting.Enqueue(parcel);
        return parcel;
    }
}
