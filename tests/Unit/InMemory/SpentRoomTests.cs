using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>A flood leaves no room behind; what a queue breathes in and out from moment to moment it keeps, for to grow again costs more.</summary>
public sealed class SpentRoomTests
{
    private const int Flood = 200_000;
    private const int Breath = 5_000;

    // More than 8 bytes for each: the array of a queue has that many for each of its places.
    private const long Room = Flood * 8;

    private readonly StoredMessage _message = new(new Message { Id = "a" }, default);

    // What left its room must make it anew.
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Messages_that_waited_leave_no_room_behind(int deliveries)
    {
        _message.DeliveryCount = deliveries;
        var ready = new ReadyMessages();

        Assert.InRange(Allocated.By(Pass), Room, long.MaxValue);

        void Pass()
        {
            for (var i = 0; i < Flood; i++)
                ready.Add(_message);
            while (ready.TryTake(out _))
                continue;
        }
    }

    [Fact]
    public void Messages_that_were_delayed_leave_no_room_behind()
    {
        var delayed = new DelayedMessages();

        Assert.InRange(Allocated.By(Pass), Room, long.MaxValue);

        void Pass()
        {
            for (var i = 0; i < Flood; i++)
                delayed.Add(_message, i);
            while (delayed.TryTakeDue(Flood, out _))
                continue;
        }
    }

    [Fact]
    public void A_queue_that_breathes_keeps_its_room()
    {
        var (ready, delayed) = (new ReadyMessages(), new DelayedMessages());

        Assert.Equal(0, Allocated.By(Breathe));

        void Breathe()
        {
            for (var i = 0; i < Breath; i++)
            {
                _message.DeliveryCount = i % 2;
                ready.Add(_message);
                delayed.Add(_message, i);
            }

            while (ready.TryTake(out _) || delayed.TryTakeDue(Breath, out _))
                continue;
        }
    }
}
