using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class IdempotencyTests : IDisposable
{
    private readonly Store _store = new();
    private readonly List<string> _runs = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_completed_message_is_stored_before_it_is_settled()
    {
        var hand = Build().Start();
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(1));

        hand.Send("a");
        hand.Run(0.5);

        Assert.Equal(["orders/a"], _store.Ids);
        Assert.Empty(hand.Spy.Settled);
    }

    [Fact]
    public async Task One_that_an_earlier_process_completed_is_settled_without_running()
    {
        var log = new Notes<Engine>();
        var hand = Build(log: log);
        _store.Kept.Add(KeyNow(hand, "a"));
        hand.Send("a", "b");
        await AbandonAsync(hand, 2);

        hand.Start();
        hand.Run(0);

        Assert.Equal(["b 2"], _runs);
        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
        Assert.StartsWith("Information: Message a of orders", Assert.Single(log.Lines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_store_in_memory_serves_one_engine_after_another()
    {
        var store = new InMemoryIdempotencyStore();
        using (var earlier = Build(store: store).Start())
        {
            earlier.Send("a");
            earlier.Run(0);
        }

        var hand = Build(store: store);
        hand.Send("a", "b");
        await AbandonAsync(hand, 2);
        hand.Start();
        hand.Run(0);

        Assert.Equal(["a 1", "b 2"], _runs);
        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);
    }

    [Fact]
    public async Task One_that_is_asked_about_at_the_stop_is_given_back_at_once_and_nothing_is_missed()
    {
        _store.IsSilent = true;
        var hand = Build();
        hand.Send("a");
        await AbandonAsync(hand, 1);
        hand.Start();
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(2)), within: 0);

        Assert.Empty(_runs);
        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.Equal(0, hand.Misses(MissReason.Drain));
    }

    [Fact]
    public void One_that_its_earlier_handler_completes_while_the_store_is_asked_is_not_run_again()
    {
        _store.IsSilent = true;
        var hand = BuildSlow(seconds: 4, broker => broker.LockDuration = TimeSpan.FromSeconds(2)).Start();
        hand.Faults.RefuseRenewals(1);

        hand.Send("a");
        hand.Run(12);

        Assert.Equal(1, hand.Misses(MissReason.Rejected));
        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void What_is_delivered_for_the_first_time_is_not_looked_up()
    {
        var hand = Build().Start();
        _store.Kept.Add(KeyNow(hand, "a"));

        hand.Send("a");
        hand.Run(0);

        Assert.Equal(["a 1"], _runs);
    }

    [Theory]
    [InlineData(SettlementKind.Abandon)]
    [InlineData(SettlementKind.DeadLetter)]
    public void What_is_not_completed_is_not_stored(SettlementKind kind)
    {
        var hand = Build(message => message.DeliveryCount > 1 || kind == SettlementKind.DeadLetter ? Settlement.DeadLetter("odd", "Odd.") : Settlement.Abandon).Start();

        hand.Send("a");
        hand.Run(1);

        Assert.Empty(_store.Kept);
    }

    [Fact]
    public void A_store_that_fails_is_done_without()
    {
        _store.Problem = new InvalidOperationException("The disk is full.");
        var hand = Build(message => message.DeliveryCount == 1 ? Settlement.Abandon : Settlement.Complete).Start();

        hand.Send("a");
        hand.Run(1);

        Assert.Equal(["a 1", "a 2"], _runs);
        Assert.Equal(["a Abandon", "a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void One_that_completes_although_its_lease_is_lost_is_stored_above_all()
    {
        var hand = BuildSlow(seconds: 20).Start();
        hand.Faults.RefuseRenewals(1);

        hand.Send("a");
        hand.Run(21);

        Assert.Equal(1, hand.Misses(MissReason.Rejected));
        Assert.Equal(["orders/a"], _store.Ids);
    }

    [Fact]
    public void A_store_that_does_not_answer_is_done_without_after_a_while()
    {
        var log = new Notes<Engine>();
        _store.IsSilent = true;
        _hand = new EngineByHand((_, _) => new(Settlement.Complete), store: _store, log: log).Start();

        _hand.Send("a", "b");
        _hand.Run(4);
        Assert.Empty(_hand.Spy.Settled);
        _hand.Run(2);

        Assert.Equal(["a Complete", "b Complete"], _hand.Spy.Settled);
        Assert.Contains("has not answered within 5 s", Assert.Single(log.Troubles));
    }

    [Fact]
    public void While_it_fails_one_message_at_a_time_waits_for_it()
    {
        _store.IsSilent = true;
        var hand = Build().Start();
        hand.Send("a", "b");
        hand.Run(6);
        Assert.Equal(["a Complete", "b Complete"], hand.Spy.Settled);

        hand.Send("c", "d", "e");
        hand.Run(1);
        Assert.Equal(["d Complete", "e Complete"], hand.Spy.Settled[2..]);
        hand.Run(5);
        Assert.Equal("c Complete", hand.Spy.Settled[^1]);

        _store.IsSilent = false;
        hand.Send("f", "g");
        hand.Run(0);
        Assert.Equal(["orders/f", "orders/g"], _store.Ids.Order());
    }

    [Fact]
    public void One_that_is_completed_while_its_store_says_nothing_is_completed_at_the_stop()
    {
        _store.IsSilent = true;
        var hand = Build().Start();
        hand.Send("a");
        hand.Run(0);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(1)), within: 3);

        Assert.Equal(["a 1"], _runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal((0, 0), (hand.Status.Queues[0].Misses, hand.Queue.Admission.Used));
    }

    [Fact]
    public void Or_when_it_may_not_be_held_any_longer()
    {
        _store.IsSilent = true;
        var hand = Build(configureBroker: broker => broker.HoldLimit = TimeSpan.FromSeconds(4)).Start();
        hand.Send("a");

        hand.Run(4.5);

        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public async Task What_a_store_has_registered_and_throws_when_it_is_given_up_is_its_own()
    {
        var (time, log) = (new VirtualTime(), new Notes<Engine>());
        var completed = new Completed("orders", new Throwing(), time, log);

        var stored = completed.StoreAsync(new Bare("a")).AsTask();
        var isKnown = completed.IsStoredAsync(new Bare("a"), default).AsTask();
        time.Advance(TimeSpan.FromSeconds(6));

        await stored;
        Assert.False(await isKnown);
        Assert.Contains("not answered within 5 s", Assert.Single(log.Lines));
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task A_failure_is_told_once_until_it_works_again(bool failsAsItIsAsked, bool worksAsItIsAsked)
    {
        var log = new Notes<Engine>();
        var completed = new Completed("orders", _store, new VirtualTime(), log);

        _store.Problem = new InvalidOperationException("The disk is full.");
        await UseAsync(failsAsItIsAsked);
        Assert.Contains("The disk is full.", Assert.Single(log.Lines));
        await UseAsync(!failsAsItIsAsked);
        _store.Problem = null;
        await UseAsync(worksAsItIsAsked);
        Assert.Single(log.Lines);
        await UseAsync(!worksAsItIsAsked);

        Assert.Equal(2, log.Lines.Count);
        Assert.StartsWith("Information: ", log.Lines[1], StringComparison.Ordinal);

        async ValueTask UseAsync(bool asks)
        {
            if (asks)
                Assert.False(await completed.IsStoredAsync(new Bare("unknown"), default));
            else
                await completed.StoreAsync(new Bare("a"));
        }
    }

    [Fact]
    public async Task One_that_answers_and_can_not_keep_does_not_work_again_until_it_keeps()
    {
        var log = new Notes<Engine>();
        var completed = new Completed("orders", _store, new VirtualTime(), log);

        foreach (var problem in new[] { new InvalidOperationException("The disk is full."), null })
        {
            for (var i = 0; i < 3; i++)
            {
                _store.Problem = problem;
                await completed.StoreAsync(new Bare("a"));
                _store.Problem = null;
                Assert.False(await completed.IsStoredAsync(new Bare("unknown"), default));
            }
        }

        Assert.Equal(["Error", "Information"], log.Lines.Select(line => line.Split(':')[0]));
    }

    [Fact]
    public async Task A_question_that_is_called_off_is_no_failure()
    {
        var log = new Notes<Engine>();
        var completed = new Completed("orders", _store, new VirtualTime(), log);
        using var stop = new CancellationTokenSource();
        _store.IsSilent = true;

        var isKnown = completed.IsStoredAsync(new Bare("a"), stop.Token).AsTask();
        await stop.CancelAsync();

        Assert.False(await isKnown);
        Assert.Empty(log.Lines);
    }

    [Fact]
    public async Task Without_a_store_there_is_nothing_to_wait_for_and_nothing_to_tell()
    {
        var log = new Notes<Engine>();
        var completed = new Completed("orders", null, new VirtualTime(), log);

        Assert.True(completed.StoreAsync(new Bare("a")).AsTask().IsCompletedSuccessfully);
        Assert.False(await completed.IsStoredAsync(new Bare("a"), default));

        Assert.Empty(log.Lines);
    }

    private static async Task AbandonAsync(EngineByHand hand, int count)
    {
        await using var earlier = await hand.Broker.OpenReceiverAsync("orders", default);
        var taken = new Delivery[count];
        Assert.Equal(count, await earlier.ReceiveAsync(taken, default));
        foreach (var delivery in taken)
            Assert.True(await earlier.SettleAsync(delivery, Settlement.Abandon, default));
    }

    // Of a message that is sent at this moment.
    private static string KeyNow(EngineByHand hand, string id) => $"orders/{Sameness.KeyOf(new Bare(id, enqueuedAt: hand.Time.GetUtcNow()))}";

    private EngineByHand Build(Func<HeldMessage, Settlement>? handle = null, IIdempotencyStore? store = null, ILogger? log = null, Action<InMemoryBrokerOptions>? configureBroker = null)
    {
        return _hand = new EngineByHand(
            (message, _) =>
            {
                _runs.Add($"{message.Id} {message.DeliveryCount}");
                return new(handle?.Invoke(message) ?? Settlement.Complete);
            },
            configureBroker: configureBroker,
            store: store ?? _store,
            log: log);
    }

    // Its handlers take that long, and heed nothing meanwhile.
    private EngineByHand BuildSlow(double seconds, Action<InMemoryBrokerOptions>? configureBroker = null)
    {
        return _hand = new EngineByHand(
            async (message, _) =>
            {
                _runs.Add($"{message.Id} {message.DeliveryCount}");
                await _hand!.Sleep(seconds);
                return Settlement.Complete;
            },
            configureBroker: configureBroker,
            store: _store);
    }

    private sealed class Store : IIdempotencyStore
    {
        public HashSet<string> Kept { get; } = [];

        public IEnumerable<string> Ids => Kept.Select(key => key.Split(' ')[0]);

        public Exception? Problem { get; set; }

        /// <summary>Whether it says nothing: to a question, until that is called off.</summary>
        public bool IsSilent { get; set; }

        public ValueTask RememberAsync(string queue, string key, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            if (IsSilent)
                return new(new TaskCompletionSource().Task);
            if (Problem is not null)
                return ValueTask.FromException(Problem);
            Kept.Add($"{queue}/{key}");
            return default;
        }

        public ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel) =>
            IsSilent ? new(CalledOff(cancel))
            : Problem is not null ? ValueTask.FromException<bool>(Problem)
            : new(Kept.Contains($"{queue}/{key}"));

        private static Task<bool> CalledOff(CancellationToken cancel)
        {
            var answer = new TaskCompletionSource<bool>();
            cancel.UnsafeRegister(_ => answer.SetCanceled(cancel), null);
            return answer.Task;
        }
    }

    /// <summary>Whose driver answers nothing, and throws when it is called off.</summary>
    private sealed class Throwing : IIdempotencyStore
    {
        public ValueTask RememberAsync(string queue, string key, CancellationToken cancel)
        {
            cancel.Register(() => throw new InvalidOperationException("The connection is closed."));
            return new(new TaskCompletionSource().Task);
        }

        public async ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel)
        {
            await RememberAsync(queue, key, cancel);
            return true;
        }
    }
}
