using System.Runtime.CompilerServices;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class InMemoryIdempotencyStoreTests
{
    private readonly VirtualTime _time = new();
    private readonly InMemoryIdempotencyStore _store;

    public InMemoryIdempotencyStoreTests() => _store = new InMemoryIdempotencyStore(keepMost: 10_000, time: _time);

    [Fact]
    public void An_id_is_known_for_an_hour()
    {
        _store.Remember("orders", "a");
        Assert.True(_store.Contains("orders", "a"));
        Assert.False(_store.Contains("orders", "b"));

        _time.Advance(TimeSpan.FromHours(1));
        Assert.True(_store.Contains("orders", "a"));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(_store.Contains("orders", "a"));
    }

    [Fact]
    public void An_id_remembered_again_is_known_from_then_on()
    {
        _store.Remember("orders", "a");
        _time.Advance(TimeSpan.FromMinutes(40));
        _store.Remember("orders", "a");
        _time.Advance(TimeSpan.FromMinutes(40));

        Assert.True(_store.Contains("orders", "a"));
    }

    [Fact]
    public void The_oldest_makes_room_for_the_newest()
    {
        for (var i = 0; i <= 10_000; i++)
            _store.Remember("orders", $"m{i}");

        Assert.False(_store.Contains("orders", "m0"));
        Assert.True(_store.Contains("orders", "m1"));
        Assert.True(_store.Contains("orders", "m10000"));
    }

    [Fact]
    public void It_does_so_where_nobody_asks_either()
    {
        var first = RememberOne();
        for (var i = 0; i < 10_000; i++)
            _store.Remember("orders", $"m{i}");

        GC.Collect();
        Assert.False(first.IsAlive);
    }

    [Fact]
    public async Task An_id_is_its_queue_s()
    {
        await _store.RememberAsync("orders", "a", default);

        Assert.True(await _store.ContainsAsync("orders", "a", default));
        Assert.False(await _store.ContainsAsync("invoices", "a", default));
    }

    [Fact]
    public void What_would_keep_nothing_is_refused()
    {
        Assert.Equal("keepMost", Assert.Throws<ArgumentOutOfRangeException>(() => new InMemoryIdempotencyStore(keepMost: 0)).ParamName);
        Assert.Equal("keepFor", Assert.Throws<ArgumentOutOfRangeException>(() => new InMemoryIdempotencyStore(keepFor: TimeSpan.Zero)).ParamName);
    }

    // In a frame of its own, which keeps nothing alive.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference RememberOne()
    {
        var id = Guid.NewGuid().ToString();
        _store.Remember("orders", id);
        return new(id);
    }
}
