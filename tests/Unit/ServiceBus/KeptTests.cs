using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class KeptTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Queue<TaskCompletionSource<Thing>> _attempts = [];
    private readonly List<Thing?> _over = [];

    [Fact]
    public async Task It_is_opened_once_for_all_who_ask()
    {
        var kept = Kept();

        var (first, second) = (kept.OpenAsync(), kept.OpenAsync());
        Assert.Null(kept.Opened);
        var thing = Answer();

        Assert.Same(thing, await first);
        Assert.Same(thing, await second);
        Assert.Same(thing, await kept.OpenAsync());
        Assert.Same(thing, kept.Opened);
        Assert.Equal([null], _over);
    }

    [Fact]
    public async Task It_is_opened_in_nobody_s_context()
    {
        var (whose, seen) = (new AsyncLocal<string?>(), "nothing");
        var go = new TaskCompletionSource();
        var kept = new Kept<Thing>(
            async _ =>
            {
                await go.Task;
                seen = whose.Value;
                return new Thing();
            },
            thing => thing.IsOver);

        whose.Value = "the first one's";
        var opening = kept.OpenAsync();
        ThreadPool.UnsafeQueueUserWorkItem(static go => go.SetResult(), go, preferLocal: false);
        await opening;

        Assert.Null(seen);
        Assert.Equal("the first one's", whose.Value);
    }

    [Fact]
    public async Task What_is_over_is_opened_anew_by_one_who_is_told_what_is_over()
    {
        var kept = Kept();
        var opening = kept.OpenAsync();
        var first = Answer();
        await opening;

        first.IsOver = true;
        opening = kept.OpenAsync();
        var second = Answer();

        Assert.Same(second, await opening);
        Assert.Equal([null, first], _over);
    }

    [Fact]
    public async Task What_could_not_be_opened_is_tried_again_by_the_next_who_asks()
    {
        var kept = Kept();
        var (first, second) = (kept.OpenAsync(), kept.OpenAsync());

        _attempts.Dequeue().SetException(new IOException("no"));

        await Assert.ThrowsAsync<IOException>(() => first);
        await Assert.ThrowsAsync<IOException>(() => second);
        var third = kept.OpenAsync();
        Assert.Same(Answer(), await third);
    }

    [Fact]
    public async Task What_fails_at_once_fails_only_who_waits()
    {
        var kept = new Kept<Thing>(_ => throw new IOException("no"), thing => thing.IsOver);

        await Assert.ThrowsAsync<IOException>(kept.OpenAsync);
        await Assert.ThrowsAsync<IOException>(kept.OpenAsync);
    }

    [Fact]
    public async Task What_is_forgotten_is_opened_anew_but_not_while_it_is_just_being_opened()
    {
        var kept = Kept();
        var opening = kept.OpenAsync();
        kept.Forget();
        Assert.Same(opening, kept.OpenAsync());
        Answer();
        await opening;

        kept.Forget();
        opening = kept.OpenAsync();

        Assert.Same(Answer(), await opening);
        Assert.Equal(2, _over.Count);
    }

    [Fact]
    public async Task What_was_opened_by_other_means_is_given_to_all()
    {
        var (kept, thing) = (Kept(), new Thing());

        kept.Keep(thing);

        Assert.Same(thing, await kept.OpenAsync());
        Assert.Empty(_over);
    }

    // Two such that ask for each other from two threads stood still for good.
    [Fact]
    public void Who_asks_while_its_opening_begins_waits_for_no_lock()
    {
        Kept<Thing> kept = null!;
        var hasAsked = false;
        kept = new(
            _ =>
            {
                var other = new Thread(() => kept.OpenAsync()) { IsBackground = true };
                other.Start();
                hasAsked = other.Join(s_patience);
                return Task.FromResult(new Thing());
            },
            thing => thing.IsOver);

        _ = kept.OpenAsync();

        Assert.True(hasAsked);
    }

    private Kept<Thing> Kept() => new(
        over =>
        {
            _over.Add(over);
            var attempt = new TaskCompletionSource<Thing>();
            _attempts.Enqueue(attempt);
            return attempt.Task;
        },
        thing => thing.IsOver);

    private Thing Answer()
    {
        var thing = new Thing();
        _attempts.Dequeue().SetResult(thing);
        return thing;
    }

    private sealed class Thing
    {
        public bool IsOver { get; set; }
    }
}
