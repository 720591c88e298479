using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class KeyOrderTests : IDisposable
{
    private readonly List<string> _starts = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void Messages_of_one_key_are_handled_one_after_another_and_others_beside_them()
    {
        var hand = Start(Busy(5));

        Send("a1", "a2", "b1", "a3");
        hand.Run(20);

        Assert.Equal(["a1 @0", "b1 @0", "a2 @5", "a3 @10"], _starts);
        Assert.Equal(4, hand.Spy.Settled.Count(settled => settled.EndsWith("Complete", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData("customer", true)]
    [InlineData(null, false)]
    public void The_broker_is_told_whether_order_counts(string? orderBy, bool isInOrder)
    {
        var hand = Start(Busy(5), options => options.OrderBy = orderBy);

        hand.Run(1);

        Assert.Equal(isInOrder, hand.Spy.IsInOrder);
    }

    [Fact]
    public void Without_a_key_messages_are_in_nobodys_way()
    {
        var hand = Start(Busy(5));

        hand.Send("1", "2", "3");
        hand.Run(1);

        Assert.Equal(["1 @0", "2 @0", "3 @0"], _starts);
    }

    [Fact]
    public void At_a_stop_nobodys_turn_comes_because_the_one_before_it_is_given_back()
    {
        var hand = Start(Busy(5));
        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 0.2);
        var (first, second) = (Waiting(new InSession("a")), Waiting(new InSession("a")));

        _ = first.GiveBackUnbegunAsync();
        hand.Lanes.RunUntilIdle();

        Assert.False(second.HasBegun);
    }

    [Fact]
    public void A_session_is_a_key()
    {
        var hand = Start(Busy(5), options => options.OrderBy = "Session");

        foreach (var (id, session) in new[] { ("a1", "a"), ("a2", "a"), ("b1", "b") })
            hand.Send(new Message { Id = id, SessionId = session });
        hand.Run(10);

        Assert.Equal(["a1 @0", "b1 @0", "a2 @5"], _starts);
    }

    [Fact]
    public void So_is_one_that_the_broker_tells_and_the_message_does_not()
    {
        Start(Busy(5), options => options.OrderBy = "Session");

        var (first, second, other) = (Waiting(new InSession("a")), Waiting(new InSession("a")), Waiting(new InSession("b")));
        _hand!.Lanes.RunUntilIdle();

        Assert.Equal((true, false, true), (first.HasBegun, second.HasBegun, other.HasBegun));
    }

    [Fact]
    public void What_waits_for_its_turn_keeps_its_lease()
    {
        var hand = Start(Busy(60));

        Send("a1", "a2");
        hand.Run(125);

        Assert.Equal(["a1 @0", "a2 @60"], _starts);
        Assert.Equal(["a1 Complete", "a2 Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void A_stop_gives_back_what_waits_for_its_turn()
    {
        var hand = Start(Busy(15));
        Send("a1", "a2", "a3");
        hand.Run(1);

        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(20)), within: 15);

        Assert.Equal(["a1 @0"], _starts);
        Assert.Equal(["a2 Abandon", "a3 Abandon", "a1 Complete"], hand.Spy.Settled);
        Assert.Equal((2, 0), (hand.Counts.Waiting, hand.Queue.Admission.Used));
    }

    [Fact]
    public void A_retry_at_once_stays_in_front()
    {
        var hand = Start(
            (message, _) => message is { Id: "a1", Attempt: 1 } ? throw new InvalidOperationException() : new(Settlement.Complete),
            options => options.Retry = new() { Immediate = 1, ImmediateDelay = TimeSpan.FromSeconds(1) });

        Send("a1", "a2");
        hand.Run(5);

        Assert.Equal(["a1", "a1", "a2"], _starts.Select(Id));
    }

    [Theory]
    [InlineData(SettlementKind.Delay, new[] { "a1", "a2", "a3", "a1" })]
    [InlineData(SettlementKind.Abandon, new[] { "a1", "a2", "a3", "a1" })]
    [InlineData(SettlementKind.DeadLetter, new[] { "a1", "a2", "a3" })]
    public void What_goes_back_to_the_broker_is_passed_by_those_behind_it(SettlementKind kind, string[] order)
    {
        var hand = Start(async (message, _) =>
        {
            await _hand!.Sleep(1);
            return message is not { Id: "a1", DeliveryCount: 1 } ? Settlement.Complete
                : kind == SettlementKind.Delay ? Settlement.Delay(TimeSpan.FromSeconds(10))
                : kind == SettlementKind.Abandon ? Settlement.Abandon
                : Settlement.DeadLetter("no", "");
        });

        Send("a1", "a2", "a3");
        hand.Run(30);

        Assert.Equal(order, _starts.Select(Id));
    }

    [Fact]
    public void The_next_waits_for_the_handler_itself_even_where_its_lease_is_lost()
    {
        var hand = Start(async (message, _) =>
        {
            // It does not heed its token.
            await _hand!.Sleep(message.DeliveryCount == 1 && message.Id == "a1" ? 30 : 1);
            return Settlement.Complete;
        });
        hand.Faults.RefuseRenewals(1);

        Send("a1", "a2");
        hand.Run(60);

        Assert.Equal(1, hand.Misses(MissReason.Rejected));
        Assert.Equal(["a1 @0", "a2 @30"], _starts[..2]);
        Assert.Equal(0, hand.Counts.Waiting);
    }

    [Fact]
    public void One_that_was_given_back_while_it_waited_is_passed_over()
    {
        var hand = Start(
            async (message, cancel) =>
            {
                await _hand!.Nap(message is { Id: "a1", DeliveryCount: 1 } ? 20 : 1, cancel);
                return Settlement.Complete;
            },
            broker: broker => broker.HoldLimit = TimeSpan.FromSeconds(15));

        Send("a1", "a2");
        hand.Run(12);
        Send("a3");
        hand.Run(60);

        // Two come to their limit: the first is called off, and the second never begins.
        Assert.Equal(2, hand.Misses(MissReason.Deadline));
        Assert.Equal(["a1", "a3"], _starts[..2].Select(Id));
        Assert.Equal(["a1", "a2"], _starts[2..].Select(Id).Order());
    }

    [Fact]
    public void One_that_is_still_being_given_back_when_the_last_of_its_line_has_left_leaves_its_slot_too()
    {
        var hand = Start(
            async (message, cancel) =>
            {
                await _hand!.Nap(message.DeliveryCount == 1 ? 20 : 1, cancel);
                return Settlement.Complete;
            },
            options => (options.MaxConcurrency, options.Lease.MinMargin) = (2, TimeSpan.FromSeconds(2)),
            broker => broker.HoldLimit = TimeSpan.FromSeconds(15));
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(1));

        // The first heeds its token, and is gone while the second's settlement is on its way.
        Send("a1");
        hand.Run(0.3);
        Send("a2");
        hand.Run(60);

        Assert.Equal(2, hand.Misses(MissReason.Deadline));
        Assert.Equal(["a1", "a1", "a2"], _starts.Select(Id));
        Assert.Equal((0, 0), (hand.Queue.Admission.Used, hand.Counts.Waiting));
    }

    [Fact]
    public void Those_that_were_given_back_while_they_waited_have_no_turn_that_others_wait_for()
    {
        var hand = Start(Busy(1), options => options.MaxConcurrency = 16);
        Send("a1");
        hand.Run(2);

        // A turn has taken a second, as the next one does.
        Waiting();
        Journey[] lost = [Waiting(), Waiting(), Waiting()];
        Waiting(holdLimit: 10);
        Waiting(holdLimit: 10);
        Waiting(holdLimit: 18);
        foreach (var journey in lost)
            hand.Keeper.Lose(journey.Lease, MissReason.Rejected);
        hand.Lanes.RunUntilIdle();
        var late = hand.Queue.Order!.CountLate();
        Waiting(holdLimit: 10);

        Assert.Equal((0, 1), (late, hand.Queue.Order.CountLate()));
    }

    [Fact]
    public void No_more_of_one_key_are_taken_than_can_begin_while_they_may_be_held()
    {
        var hand = Start(Busy(0.5), Adapting, broker => broker.HoldLimit = TimeSpan.FromSeconds(60));

        Send([.. Enumerable.Range(100, 400).Select(number => $"a{number}")]);
        hand.Run(250);

        Assert.Equal(Enumerable.Range(100, 400).Select(number => $"a{number}"), _starts.Select(Id));
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void Of_a_key_whose_first_is_not_done_yet_few_are_taken()
    {
        var hand = Start(Busy(200), Adapting, broker => broker.HoldLimit = TimeSpan.FromSeconds(1800));

        Send([.. Enumerable.Range(100, 100).Select(number => $"a{number}")]);
        hand.Run(190);
        Assert.InRange(hand.Queue.Admission.Used, 1, 8);
        hand.Run(400);

        Assert.InRange(hand.Queue.Admission.Used, 1, 8);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1800.0)]
    public void A_few_that_wait_for_one_that_takes_long_keep_nobody_else_out(double? holdLimit)
    {
        var hand = Start(
            async (message, _) =>
            {
                await _hand!.Sleep(message.Id[0] == 'a' ? 1200 : 5);
                return Settlement.Complete;
            },
            Adapting,
            broker => broker.HoldLimit = holdLimit is { } seconds ? TimeSpan.FromSeconds(seconds) : null);
        Send("a1", "a2");

        for (var i = 0; i < 200; i++)
            hand.Send(new Message { Id = "b", Properties = new Dictionary<string, object?> { ["customer"] = i } });
        hand.Run(4);

        Assert.InRange(hand.Queue.Admission.Used, 50, 202);
    }

    [Fact]
    public void Those_that_wait_for_one_that_takes_long_as_an_exception_keep_nobody_else_out_while_there_are_slots()
    {
        var hand = Start(
            async (message, _) =>
            {
                await _hand!.Sleep(message.Id == "a109" ? 60 : 0.05);
                return Settlement.Complete;
            },
            Adapting,
            broker => broker.HoldLimit = TimeSpan.FromSeconds(1800));
        Send([.. Enumerable.Range(100, 100).Select(number => $"a{number}")]);
        hand.Run(30);
        Assert.Equal(91, hand.Queue.Admission.Used);

        for (var i = 0; i < 100; i++)
            hand.Send(new Message { Id = $"b{i}", Properties = new Dictionary<string, object?> { ["customer"] = i } });
        hand.Run(4);

        Assert.Equal(110, _starts.Count);
    }

    [Fact]
    public void That_slots_are_taken_by_those_that_wait_for_their_turn_is_told()
    {
        var hand = Start(Busy(10), options => options.MaxConcurrency = 4);
        Send("a1", "a2", "a3");
        hand.Run(1);
        Assert.Null(hand.Status.Queues[0].Holding);

        Send("a4", "a5");
        hand.Run(1);

        Assert.Equal(("most of what is in hand waits for others of its key (OrderBy)", "order"), (hand.Status.Queues[0].Holding, hand.Status.Queues[0].HoldingReason));
        hand.Run(20);
        Assert.Null(hand.Status.Queues[0].Holding);
    }

    [Fact]
    public void Where_messages_may_be_held_for_ever_any_number_may_wait_for_its_turn()
    {
        var hand = Start(Busy(200), Adapting);

        Send([.. Enumerable.Range(100, 100).Select(number => $"a{number}")]);
        hand.Run(20);

        Assert.Equal(100, hand.Queue.Admission.Used);
    }

    [Fact]
    public void A_handler_that_changes_what_its_key_is_read_from_keeps_nobody_waiting()
    {
        var hand = Start((message, _) =>
        {
            ((byte[])message.Message.Properties["customer"]!)[0]++;
            return new(Settlement.Complete);
        });

        foreach (var id in new[] { "1", "2", "3" })
            hand.Send(new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = "a"u8.ToArray() } });
        hand.Run(1);

        Assert.Equal(["1", "2", "3"], _starts.Select(Id));
        Assert.Equal(0, hand.Queue.Admission.Used);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Those_whose_leases_are_lost_while_they_wait_leave_their_slots_to_others(bool byConnection)
    {
        var hand = Start(
            async (message, _) =>
            {
                // It does not heed its token.
                await _hand!.Sleep(message is { Id: "a1", DeliveryCount: 1 } ? 100 : 1);
                return Settlement.Complete;
            },
            options => options.MaxConcurrency = 6,
            broker => broker.ConnectionBound = byConnection);
        Send("a1", "a2", "a3");
        hand.Run(1);

        for (var outage = 0; outage < 3; outage++)
        {
            if (byConnection)
                hand.Faults.Cut();
            else
                hand.Faults.Renewals.Silence();
            hand.Run(12);
            hand.Faults.Heal();
            hand.Run(1);
        }

        // The one that runs, and all three anew.
        Assert.Equal(4, hand.Queue.Admission.Used);
        Send("b1");
        hand.Run(10);
        Assert.Equal(["a1 @0", "b1 @40"], _starts);

        hand.Run(60);
        Assert.Equal(["a2", "a3"], _starts[2..].Select(Id).Order());
        Assert.Equal((0, 0), (hand.Queue.Admission.Used, hand.Counts.Waiting));
    }

    [Fact]
    public void Those_that_have_left_the_line_are_not_kept_in_memory_by_the_one_in_front()
    {
        var hand = Start(Busy(1000));
        var front = Waiting();

        var others = WaitAndLose(100);
        GC.Collect();

        Assert.Equal(LeaseState.Held, front.Lease.State);
        Assert.InRange(others.Count(other => other.IsAlive), 0, 1);
    }

    [Fact]
    public void Nobody_waits_where_no_order_is_asked_for()
    {
        var hand = Start(Busy(5), options => options.OrderBy = null);

        Send("a1", "a2");
        hand.Run(1);

        Assert.Equal(["a1 @0", "a2 @0"], _starts);
    }

    [Fact]
    public void The_property_may_be_of_any_type()
    {
        var hand = Start(Busy(5));

        foreach (var (id, key) in new (string, object?)[] { ("1", 7), ("2", 7L), ("3", "7"), ("4", Encoding.UTF8.GetBytes("7")) })
            hand.Send(new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = key } });
        hand.Run(16);

        Assert.Equal(["1 @0", "2 @5", "3 @10", "4 @15"], _starts);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference[] WaitAndLose(int count)
    {
        var journeys = Enumerable.Range(0, count).Select(_ => Waiting()).ToArray();
        foreach (var journey in journeys)
            _hand!.Keeper.Lose(journey.Lease, MissReason.Rejected);
        _hand!.Lanes.RunUntilIdle();
        Assert.All(journeys, journey => Assert.True(journey.HasBegun));
        return [.. journeys.Select(journey => new WeakReference(journey))];
    }

    private Journey Waiting(Session? session = null, double? holdLimit = null)
    {
        var hand = _hand!;
        var delivery = new Ordered(hand.Time.GetTimestamp()) { Session = session, HoldLimit = holdLimit is { } limit ? TimeSpan.FromSeconds(limit) : null };
        var journey = new Journey(hand.Queue, hand.Keeper.Hold(hand.Queue.Leases, delivery), hand.Keeper);
        journey.Start();
        return journey;
    }

    // The first letter is the key.
    private void Send(params string[] ids)
    {
        foreach (var id in ids)
            _hand!.Send(new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = id[..1] } });
    }

    private static void Adapting(QueueOptions options) => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Adaptive, 256);

    private static string Id(string start) => start.Split(' ')[0];

    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Busy(double seconds) => async (_, _) =>
    {
        await _hand!.Sleep(seconds);
        return Settlement.Complete;
    };

    private EngineByHand Start(
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null, Action<InMemoryBrokerOptions>? broker = null) =>
        _hand = new EngineByHand(
            (message, cancel) =>
            {
                _starts.Add($"{message.Id} @{Math.Round(_hand!.Now)}");
                return handle(message, cancel);
            },
            options =>
            {
                options.OrderBy = "customer";
                configure?.Invoke(options);
            },
            broker).Start();

    private sealed class Ordered : Delivery
    {
        [SetsRequiredMembers]
        public Ordered(long at)
        {
            Message = new Message { Id = "a", Properties = new Dictionary<string, object?> { ["customer"] = "a" } };
            DeliveryCount = 1;
            ArrivedAt = at;
            LockDuration = TimeSpan.FromMinutes(5);
        }
    }
}
