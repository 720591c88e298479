using System.Runtime.CompilerServices;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>A flood leaves no room behind; what a queue breathes in and out from moment to moment it keeps, for to grow again costs more.</summary>
[Collection(nameof(Alone))]
public sealed class SpentRoomTests
{
    private const int Flood = 200_000;
    private const int Breath = 5_000;

    // More than 8 bytes for each: the array of a queue has that many for each of its places.
    private const long Room = Flood * 8;

    private readonly StoredMessage _message = new(new Message { Id = "a" }, default);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Messages_that_waited_leave_no_room_behind(int deliveries)
    {
        _message.DeliveryCount = deliveries;
        var ready = new ReadyMessages();
        var before = Used();
        for (var i = 0; i < Flood; i++)
            ready.Add(_message);
        Assert.InRange(Used() - before, Room, long.MaxValue);

        while (ready.TryTake(out _))
            continue;

        Assert.InRange(Used() - before, long.MinValue, Room / 8);
        GC.KeepAlive(ready);
    }

    [Fact]
    public void Messages_that_were_delayed_leave_no_room_behind()
    {
        var delayed = new DelayedMessages();
        var before = Used();
        for (var i = 0; i < Flood; i++)
            delayed.Add(_message, i);
        Assert.InRange(Used() - before, Room, long.MaxValue);

        while (delayed.TryTakeDue(Flood, out _))
            continue;

        Assert.InRange(Used() - before, long.MinValue, Room / 8);
        GC.KeepAlive(delayed);
    }

    [Fact]
    public void A_queue_that_breathes_keeps_its_room()
    {
        var (ready, delayed) = (new ReadyMessages(), new DelayedMessages());
        Breathe();

        var before = GC.GetAllocatedBytesForCurrentThread();
        Breathe();

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());

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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Used() => GC.GetTotalMemory(forceFullCollection: true);
}
