using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ShelfTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Tap _tap = new(Opened.Idle(), prefetch: 1);
    private readonly Shelf _shelf = new();

    [Fact]
    public void What_came_first_is_taken_first_and_no_more_than_there_is_room_for()
    {
        Put(1, 2, 3);

        Assert.Equal([1UL, 2UL], Take(2));
        Assert.Equal(1, _shelf.Count);
        Assert.Equal([3UL], Take(2));
        Assert.Empty(Take(2));
    }

    [Fact]
    public void All_that_is_left_can_be_taken_at_once()
    {
        Put(1, 2, 3);
        Take(1);

        Assert.Equal([2UL, 3UL], _shelf.TakeAll().Select(delivery => delivery.Tag));
        Assert.Equal(0, _shelf.Count);
        Assert.Null(_shelf.OldestArrivedAt);
    }

    [Fact]
    public void Where_something_is_there_nobody_waits()
    {
        Put(1);

        Assert.True(_shelf.WaitAsync().IsCompleted);
    }

    [Fact]
    public async Task The_next_arrival_ends_all_waits()
    {
        var waiting = new[] { _shelf.WaitAsync(), _shelf.WaitAsync() };
        Assert.All(waiting, wait => Assert.False(wait.IsCompleted));

        Put(1);
        await Task.WhenAll(waiting).WaitAsync(s_patience);
    }

    [Fact]
    public async Task Whoever_waits_can_be_woken_though_nothing_came()
    {
        var waiting = _shelf.WaitAsync();

        _shelf.Wake();
        await waiting.WaitAsync(s_patience);

        Assert.False(_shelf.WaitAsync().IsCompleted);
    }

    [Fact]
    public async Task Nothing_is_missed_between_look_and_wait()
    {
        const int Count = 20_000;
        var bringing = Task.Run(() =>
        {
            for (var tag = 1UL; tag <= Count; tag++)
                Put(tag);
        });

        var taken = new List<ulong>();
        while (taken.Count < Count)
        {
            var next = _shelf.WaitAsync();
            var some = Take(3);
            taken.AddRange(some);
            if (some.Length == 0)
                await next.WaitAsync(s_patience);
        }

        await bringing;
        Assert.Equal(Enumerable.Range(1, Count).Select(tag => (ulong)tag), taken);
    }

    private void Put(params ulong[] tags)
    {
        foreach (var tag in tags)
            _shelf.Add(new RabbitMqDelivery(_tap, Arriving.Message("a", tag)));
    }

    private ulong[] Take(int room)
    {
        var taken = new Delivery[room];
        var count = _shelf.Take(taken);
        return [.. taken.Take(count).Cast<RabbitMqDelivery>().Select(delivery => delivery.Tag)];
    }
}
