using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class BatchTests
{
    private readonly Queue<Parcel> _waiting = new();

    [Fact]
    public void What_waits_travels_together_up_to_the_size_that_is_taken()
    {
        for (var n = 0; n < 5; n++)
            Wait(100);

        Assert.Equal(2, Batch.Take(_waiting, 250).Count);
        Assert.Equal(3, Batch.Take(_waiting, 1000).Count);
        Assert.Empty(Batch.Take(_waiting, 1000));
    }

    [Fact]
    public void The_first_goes_whatever_its_size_so_that_its_sender_is_told()
    {
        Wait(1000);
        Wait(1);

        Assert.Single(Batch.Take(_waiting, 250));
    }

    [Fact]
    public void Only_messages_of_one_session_travel_together_and_their_order_is_kept()
    {
        foreach (var session in new[] { "a", "a", "b", "a", null })
            Wait(1, session);

        Assert.Equal([2, 1, 1, 1], Enumerable.Range(0, 4).Select(_ => Batch.Take(_waiting, 1000).Count));
    }

    [Fact]
    public void What_was_called_off_stays()
    {
        Wait(1).TrySetCanceled();
        var kept = Wait(2);
        Wait(1).TrySetCanceled();

        Assert.Equal([kept], Batch.Take(_waiting, 1000));
        Assert.Empty(_waiting);
    }

    [Fact]
    public void Each_message_is_one_section_of_data()
    {
        using var writer = new AmqpWriter();
        Batch.Write(writer, [Wait(3), Wait(300)]);

        var sections = Assert.IsType<DataBody>(AmqpMessage.Decode(writer.ToArray()).Body).Sections;

        Assert.Equal([3, 300], sections.Select(section => section.Length));
        Assert.InRange(writer.Length, 0, 303 + (2 * 8));
    }

    private Parcel Wait(int size, string? session = null)
    {
        var parcel = new Parcel(new byte[size], session);
        _waiting.Enqueue(parcel);
        return parcel;
    }
}
