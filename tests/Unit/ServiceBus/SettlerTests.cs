using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp.Links;
using Settlement = Holdfast.Broker.Settlement;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What is made of settlements by a delivery's link and by its lock's token, with both by hand.</summary>
public sealed class SettlerTests : IAsyncLifetime
{
    private const long Copy = 7;

    private readonly Recollection _recollection = new();
    private BrokerException? _unreachable;
    private int _opened;
    private NodeByHand _node = null!;
    private ManagementNode _management = null!;
    private Settler _settler = null!;
    private ServiceBusDelivery _held = null!;

    public ValueTask InitializeAsync() => BeginAsync(credit: 100);

    public ValueTask DisposeAsync()
    {
        _node.Peer.Break();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task A_settlement_that_never_left_did_not_end_the_lock()
    {
        _unreachable = new BrokerException("It can't be reached.", isTransient: true);
        await Assert.ThrowsAsync<BrokerException>(() => SettleAsync(Settlement.Complete));
        _unreachable = null;

        Assert.False(await LostAsync(Settlement.Complete));
        Assert.False(WasCompleted);
    }

    [Fact]
    public async Task Neither_did_one_that_the_broker_had_no_credit_for()
    {
        await BeginAsync(credit: 0);
        using var cancel = new CancellationTokenSource();
        var settling = SettleAsync(Settlement.Complete, cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling);
        _node.GiveCredit(10);

        Assert.False(await LostAsync(Settlement.Complete));
    }

    [Fact]
    public async Task Nor_one_that_was_answered_with_a_refusal()
    {
        var settling = SettleAsync(Settlement.Complete);
        _node.Answer(_node.NextRequest(), 503, Conditions.ServerBusy);
        await Assert.ThrowsAsync<BrokerException>(() => settling);

        Assert.False(await LostAsync(Settlement.Complete));
    }

    [Theory]
    [InlineData(401, Conditions.Unauthorized, true)]
    [InlineData(404, Conditions.NotFound, true)]
    [InlineData(400, Conditions.NotAllowed, false)]
    public async Task What_would_be_refused_of_any_message_may_be_mended_while_the_lock_lasts(int status, string condition, bool isForNow)
    {
        var settling = SettleAsync(Settlement.Complete);
        _node.Answer(_node.NextRequest(), status, condition);

        Assert.Equal(isForNow, (await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);
    }

    [Fact]
    public async Task One_that_left_and_was_not_answered_ended_it_and_what_comes_again_all_the_same_is_not_handled_again()
    {
        await IsNotAnsweredAsync(Settlement.Complete);

        Assert.True(await LostAsync(Settlement.Complete));
        Assert.True(WasCompleted);
    }

    [Theory]
    [InlineData(60, 15)]
    [InlineData(300, 30)]
    public async Task What_its_link_leaves_unanswered_the_token_is_asked_for_while_the_lock_lasts(int seconds, int patience)
    {
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(seconds));
        using var lost = new CancellationTokenSource();
        var settling = SettleAsync(Settlement.Complete, lost.Token);
        link.Peer.Next<Disposition>();
        _node.Time.Advance(TimeSpan.FromSeconds(patience) - TimeSpan.FromTicks(1));
        _node.Peer.NothingMore();

        _node.Time.Advance(TimeSpan.FromTicks(1));
        var request = _node.NextRequest(out string operation);
        Assert.Equal("com.microsoft:update-disposition", operation);
        _node.Answer(request, 410, Conditions.MessageLockLost);

        // It was the link's that ended the lock, and nothing of it is kept there.
        Assert.True(await settling);
        Assert.True(WasCompleted);
        Assert.Null(link.Session.Unsettled.Arrived.Find(0));
    }

    [Fact]
    public async Task Of_what_the_broker_has_ended_by_itself_on_a_link_that_lives_the_token_tells_how()
    {
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(60));
        link.Say(0, null, state: null);

        var settling = SettleAsync(Settlement.Complete);
        _node.Answer(_node.NextRequest(out string operation));

        Assert.Equal("com.microsoft:update-disposition", operation);
        Assert.True(await settling);
    }

    public static TheoryData<Settlement, DeliveryState> Agreed => new()
    {
        { Settlement.Complete, Accepted.Instance },
        { Settlement.DeadLetter("Bad", "Too bad."), new Rejected(new AmqpError(Conditions.DeadLetter)) },
        { Settlement.Return, new Modified() },
    };

    [Theory]
    [MemberData(nameof(Agreed))]
    public async Task What_its_link_says_is_settled_needs_no_token(Settlement settlement, DeliveryState answer)
    {
        var settling = await AnsweredByLinkAsync(settlement, answer);

        _node.Peer.NothingMore();
        Assert.True(await settling);
    }

    [Fact]
    public async Task What_its_link_says_is_lost_the_token_is_not_asked_for()
    {
        var settling = await AnsweredByLinkAsync(Settlement.Complete, new Rejected(new AmqpError(Conditions.MessageLockLost)));

        _node.Peer.NothingMore();
        Assert.False(await settling);
    }

    [Fact]
    public async Task What_its_link_does_not_know_any_more_the_token_is_asked_for_at_once()
    {
        var settling = await AnsweredByLinkAsync(Settlement.Complete, new Rejected(new AmqpError(Conditions.NotFound)));
        _node.Answer(_node.NextRequest());

        Assert.True(await settling);
    }

    [Theory]
    [InlineData(SettlementKind.Complete)]
    [InlineData(SettlementKind.DeadLetter)]
    public async Task What_its_link_refuses_is_not_settled_and_the_token_is_asked_for_with_the_next_try(SettlementKind kind)
    {
        var settlement = kind == SettlementKind.Complete ? Settlement.Complete : Settlement.DeadLetter("Bad", "Too bad.");
        var settling = await AnsweredByLinkAsync(settlement, new Rejected(new AmqpError(Conditions.ServerBusy)));
        _node.Peer.NothingMore();
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);

        settling = SettleAsync(settlement);
        _node.Answer(_node.NextRequest());
        Assert.True(await settling);
    }

    [Fact]
    public async Task One_that_left_by_a_link_that_then_ended_had_ended_the_lock()
    {
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(60));
        var settling = SettleAsync(Settlement.Complete);
        link.Peer.Next<Disposition>();
        link.Peer.Break();
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);

        Assert.True(await LostAsync(Settlement.Complete));
        Assert.True(WasCompleted);
    }

    [Fact]
    public async Task Of_a_dead_letter_that_is_left_to_come_again_its_link_keeps_nothing()
    {
        await BeginAsync(credit: 100, EntityName.DeadLettersOf("orders"));
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(60));

        Assert.True(await SettleAsync(Settlement.DeadLetter("Bad", "Too bad.")));

        link.Peer.NothingMore();
        Assert.Null(link.Session.Unsettled.Arrived.Find(0));
    }

    [Fact]
    public async Task What_is_called_off_on_its_link_is_not_asked_for_by_the_token()
    {
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(60));
        using var lost = new CancellationTokenSource();
        var settling = SettleAsync(Settlement.Complete, lost.Token);

        await lost.CancelAsync();

        Assert.True(settling.IsCompleted);
        var calledOff = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => settling);
        Assert.Equal(lost.Token, calledOff.CancellationToken);
        Assert.True(_held.IsInDoubt);
        _node.Peer.NothingMore();
    }

    [Fact]
    public async Task What_is_put_aside_says_when_whoever_decided_it()
    {
        var settling = SettleAsync(Settlement.DeadLetter("Bad", "Too bad."));
        _node.Answer(_node.NextRequest(out AmqpMap body));
        Assert.True(await settling);

        var changes = Assert.IsType<AmqpMap>(body["properties-to-modify"]);
        Assert.Equal(AmqpTimestamp.From(_node.Time.GetUtcNow()), changes[DeadLetterProperties.PutAsideAt]);
    }

    [Theory]
    [InlineData(SettlementKind.DeadLetter)]
    [InlineData(SettlementKind.Delay)]
    public async Task What_the_broker_has_no_place_for_is_not_told_and_all_the_rest_is(SettlementKind kind)
    {
        var notes = new Dictionary<string, object?> { ["list"] = new List<object?> { 1 }, ["table"] = new Dictionary<string, object?>(), ["none"] = null, ["noted"] = 7 };
        var settling = SettleAsync((kind == SettlementKind.Delay ? Settlement.Delay(TimeSpan.Zero) : Settlement.DeadLetter("Bad", "Too bad.")).With(notes));
        _node.Answer(_node.NextRequest(out AmqpMap body));

        Assert.True(await settling);
        var changes = Assert.IsType<AmqpMap>(body["properties-to-modify"]);
        Assert.Equal(["none", "noted"], changes.Keys.Cast<string>().Intersect(notes.Keys).Order());
    }

    [Fact]
    public async Task What_was_to_be_put_aside_is_handled_when_it_comes_again()
    {
        await IsNotAnsweredAsync(Settlement.DeadLetter("Bad", "Too bad."));

        Assert.True(await LostAsync(Settlement.DeadLetter("Bad", "Too bad.")));
        Assert.False(WasCompleted);
    }

    [Fact]
    public async Task Whatever_a_new_connection_is_refused_for_a_settlement_and_a_renewal_may_be_tried_again_and_a_start_may_not()
    {
        // A token that is refused, and the same told again to who dials too soon.
        var refused = new BrokerException("It does not let us.", isTransient: false);
        foreach (var why in new[] { refused, new BrokerException(refused.Message, isTransient: false, refused) })
        {
            _unreachable = why;

            Assert.True((await Assert.ThrowsAsync<BrokerException>(() => SettleAsync(Settlement.Complete))).IsTransient);
            Assert.True((await Assert.ThrowsAsync<BrokerException>(() => _management.RenewAsync([_held.LockToken], null, default).AsTask())).IsTransient);
            Assert.False((await Assert.ThrowsAsync<BrokerException>(() => _management.OpenAsync(default).AsTask())).IsTransient);
        }
    }

    [Fact]
    public async Task A_copy_that_does_not_even_fit_into_a_request_is_not_for_good_and_leaves_the_message_to_be_given_back()
    {
        _unreachable = new BrokerException("Too large.", isTransient: false, new AmqpException(AmqpLevel.Link, new Symbol(Conditions.MessageTooLarge), "Too large."));

        // Neither the copy nor one without its story could be scheduled, and by this node nothing can be given back either.
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => SettleAsync(Settlement.Delay(TimeSpan.FromHours(1))))).IsTransient);
        Assert.Equal(3, _opened);
        _unreachable = null;
        var settling = SettleAsync(Settlement.Complete);
        _node.Answer(_node.NextRequest());
        Assert.True(await settling);
    }

    [Theory]
    [InlineData(403, Conditions.ResourceLimit)]
    [InlineData(403, Conditions.EntityDisabled)]
    [InlineData(401, Conditions.Unauthorized)]
    [InlineData(400, Conditions.NotAllowed)]
    [InlineData(500, null)]
    public async Task A_delay_that_the_broker_refuses_gives_the_message_back_at_once_with_its_story_and_says_why(int status, string? condition)
    {
        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)).With(new Dictionary<string, object?> { ["noted"] = 7 }));
        _node.Answer(_node.NextRequest(out string operation), status, condition);
        Assert.Equal("com.microsoft:schedule-message", operation);
        _node.Answer(_node.NextRequest(out AmqpMap body));

        Assert.True(await settling);
        Assert.Equal("abandoned", body["disposition-status"]);
        Assert.Equal(7, Assert.IsType<AmqpMap>(body["properties-to-modify"])["noted"]);
        Assert.Contains("'orders'", _held.NotDelayed, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(503, Conditions.ServerBusy, 10)]
    [InlineData(408, Conditions.Timeout, null)]
    public async Task One_that_it_is_too_busy_for_is_tried_again_when_the_broker_likes(int status, string condition, int? seconds)
    {
        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Answer(_node.NextRequest(), status, condition);

        var busy = await Assert.ThrowsAsync<BrokerException>(() => settling);
        Assert.True(busy.IsTransient);
        Assert.Equal(seconds, busy.RetryAfter?.TotalSeconds);
        Assert.Null(_held.NotDelayed);
        _node.Peer.NothingMore();
    }

    [Fact]
    public async Task What_is_put_aside_does_not_begin_where_it_died_when_somebody_sends_it_again()
    {
        _held = Hold(arrival: null, TimeSpan.FromMinutes(5), new() { ApplicationProperties = new() { ["holdfast-deliveries"] = 4 } });
        var settling = SettleAsync(Settlement.DeadLetter("Bad", "Too bad."));
        _node.Answer(_node.NextRequest(out AmqpMap body));

        Assert.True(await settling);
        Assert.Equal(0, Assert.IsType<AmqpMap>(body["properties-to-modify"])["holdfast-deliveries"]);
    }

    [Fact]
    public async Task An_answer_is_for_good()
    {
        var settling = SettleAsync(Settlement.Complete);
        _node.Answer(_node.NextRequest(), 400, Conditions.NotAllowed);

        Assert.False((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);
    }

    [Fact]
    public async Task A_delay_s_copy_is_called_off_where_the_original_was_never_settled()
    {
        _held.Copy = Copy;
        _unreachable = new BrokerException("It can't be reached.", isTransient: true);
        await Assert.ThrowsAsync<BrokerException>(() => SettleAsync(Settlement.Delay(TimeSpan.FromHours(1))));
        _unreachable = null;

        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        _node.Answer(_node.NextRequest(out string operation));

        Assert.Equal("com.microsoft:cancel-scheduled-message", operation);
        Assert.False(await settling);
    }

    [Fact]
    public async Task It_is_called_off_by_the_number_that_the_broker_gave_it()
    {
        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Answer(_node.NextRequest(), body: new() { ["sequence-numbers"] = new[] { Copy } });
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        var calledOff = _node.NextRequest(out AmqpMap body);
        _node.Answer(calledOff);

        Assert.Equal([Copy], Assert.IsType<long[]>(body["sequence-numbers"]));
        Assert.False(await settling);
    }

    [Fact]
    public async Task One_that_was_refused_is_scheduled_anew_before_the_original_is_settled()
    {
        var delay = Settlement.Delay(TimeSpan.FromHours(1));
        var settling = SettleAsync(delay);
        _node.Answer(_node.NextRequest(), 403, Conditions.ResourceLimit);
        _node.Answer(_node.NextRequest(), 503, Conditions.ServerBusy);
        await Assert.ThrowsAsync<BrokerException>(() => settling);

        _ = SettleAsync(delay);
        _node.NextRequest(out string operation);
        Assert.Equal("com.microsoft:schedule-message", operation);
    }

    [Fact]
    public async Task Where_that_fails_it_is_called_off_with_the_next_try_and_then_no_more()
    {
        _held.Copy = Copy;
        var delay = Settlement.Delay(TimeSpan.FromHours(1));
        using var lost = new CancellationTokenSource();
        var settling = SettleAsync(delay, lost.Token);
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        var calledOff = _node.NextRequest();

        // The lease is found to be lost just then, which ends nothing but the lease.
        await lost.CancelAsync();
        Assert.False(settling.IsCompleted);
        _node.Answer(calledOff, 503, Conditions.ServerBusy);
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);

        settling = SettleAsync(delay);
        _node.Answer(_node.NextRequest(out string operation));
        Assert.Equal("com.microsoft:cancel-scheduled-message", operation);
        Assert.False(await settling);

        settling = SettleAsync(delay);
        _node.Peer.NothingMore();
        Assert.False(await settling);
    }

    [Fact]
    public async Task One_that_is_not_scheduled_any_more_need_not_be_called_off()
    {
        _held.Copy = Copy;
        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        _node.Answer(_node.NextRequest(), 404, Conditions.MessageNotFound);

        Assert.False(await settling);
    }

    [Fact]
    public async Task And_stays_where_the_original_was_settled()
    {
        _held.Copy = Copy;
        var settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Answer(_node.NextRequest());
        Assert.True(await settling);

        settling = SettleAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Peer.NothingMore();
        Assert.False(await settling);
    }

    [Fact]
    public async Task And_stays_where_that_is_not_certain()
    {
        _held.Copy = Copy;
        await IsNotAnsweredAsync(Settlement.Delay(TimeSpan.FromHours(1)));
        _node.Time.Advance(_held.LockDuration);

        Assert.False(await LostAsync(Settlement.Delay(TimeSpan.FromHours(1))));
    }

    [Fact]
    public async Task And_stays_where_the_broker_may_have_settled_the_original_though_it_says_that_it_was_too_late()
    {
        _held.Copy = Copy;
        var delay = Settlement.Delay(TimeSpan.FromHours(1));
        var settling = SettleAsync(delay);
        _node.Answer(_node.NextRequest(), 408, Conditions.Timeout);
        await Assert.ThrowsAsync<BrokerException>(() => settling);

        settling = SettleAsync(delay);
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        _node.Peer.NothingMore();
        Assert.False(await settling);
    }

    private bool WasCompleted => _recollection.WasCompleted(_held.SequenceNumber, _held.EnqueuedAt);

    private async ValueTask BeginAsync(uint credit, string queue = "orders")
    {
        _node = await NodeByHand.OpenAsync(credit);
        var time = _node.Time;
        var problems = new Problems(NamespaceAddress.OfHost("one.servicebus.windows.net"), new KeyTokens(new SharedAccessKey("me", "secret"), time));
        var entity = EntityName.Parse(queue);
        _management = new ManagementNode(
            _ =>
            {
                _opened++;
                return _unreachable is { } why ? ValueTask.FromException<RequestLink>(why) : ValueTask.FromResult(_node.Link);
            },
            problems,
            entity,
            new ServiceBusBrokerOptions { TimeProvider = time, OperationTimeout = NodeByHand.Patience });
        _settler = new Settler(_management, _recollection, problems, new BrokerClock(time), time);
        _held = Hold(arrival: null, TimeSpan.FromMinutes(5));
    }

    private async Task<ReceiverByHand> HoldByLinkAsync(TimeSpan locked)
    {
        var link = await ReceiverByHand.OpenAsync(credit: 1);
        link.Peer.Next<Flow>();
        link.Transfer(1);
        _held = Hold(new Arrival(link.Receiver, link.Arrived[0]), locked);
        return link;
    }

    // Settled by its link, as far as the answer.
    private async Task<Task<bool>> AnsweredByLinkAsync(Settlement settlement, DeliveryState answer)
    {
        var link = await HoldByLinkAsync(TimeSpan.FromSeconds(60));
        var settling = SettleAsync(settlement);
        link.Peer.Next<Disposition>();
        link.Say(0, null, answer);
        return settling;
    }

    private ServiceBusDelivery Hold(Arrival? arrival, TimeSpan locked, AmqpMessage? original = null)
    {
        var time = _node.Time;
        return new()
        {
            Entity = _management.Entity,
            Arrival = arrival,
            Message = new Message { Id = "1" },
            Original = original ?? new(),
            LockToken = Guid.NewGuid(),
            SequenceNumber = 1,
            DeliveryCount = 1,
            EnqueuedAt = time.GetUtcNow(),
            ArrivedAt = time.GetTimestamp(),
            LockDuration = locked,
        };
    }

    private Task<bool> SettleAsync(Settlement settlement, CancellationToken cancel = default) => _settler.SettleAsync(_held, settlement, cancel).AsTask();

    private async Task IsNotAnsweredAsync(Settlement settlement)
    {
        var settling = SettleAsync(settlement);
        _node.NextRequest();
        _node.Time.Advance(NodeByHand.Patience);
        await Assert.ThrowsAsync<BrokerException>(() => settling);
    }

    // The lock is gone, the broker says, and is asked for nothing more: looked at first, for what would be asked has no answer.
    private async Task<bool> LostAsync(Settlement settlement)
    {
        var settling = SettleAsync(settlement);
        _node.Answer(_node.NextRequest(), 410, Conditions.MessageLockLost);
        _node.Peer.NothingMore();
        return await settling;
    }
}
