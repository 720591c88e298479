using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>A session, from its first message to its return, with a peer by hand.</summary>
public sealed class SessionIntakeTests : IAsyncLifetime
{
    private const uint Theirs = 9;
    private const string Filter = "com.microsoft:session-filter";

    private static readonly TimeSpan s_untilGivenUp = TimeSpan.FromSeconds(2);

    private readonly VirtualTime _time = new();
    private readonly BrokerClock _clock;
    private readonly Handover _handover;
    private readonly SessionReceiver _receiver;
    private readonly SessionIntake _intake;
    private readonly ManagementNode _node;
    private PeerByHand _peer = null!;

    public SessionIntakeTests()
    {
        var entity = EntityName.Parse("orders");
        var address = NamespaceAddress.OfHost("one.servicebus.windows.net");
        var tokens = new KeyTokens(new SharedAccessKey("me", "secret"), _time);
        var options = new ServiceBusBrokerOptions { TimeProvider = _time };
        var dialer = new Dialer(options, address, tokens, new Problems(address, tokens));
        _clock = new BrokerClock(_time);
        _node = new ManagementNode(dialer, entity, options);
        _receiver = new SessionReceiver("orders", entity, dialer, _clock, options, _ => { });
        _handover = new Handover(_time, Settler.GiveBack);
        _intake = new SessionIntake(_receiver, _handover, new Incoming(entity, new Recollection(), dialer.Problems, _clock, _time), _time);
    }

    public async ValueTask InitializeAsync()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        _peer = peer;
        var opening = _intake.OpenAsync(options => session.OpenReceiverAsync(options, default), _node, _clock, "shop", TimeSpan.FromSeconds(1)).AsTask();
        var attach = _peer.Next<Attach>();
        _peer.Say(new Attach
        {
            Name = attach.Name,
            Handle = Theirs,
            Role = Role.Sender,
            Source = new Source { Address = "orders", Filter = new() { [Filter] = "shop" } },
            Target = attach.Target,
            InitialDeliveryCount = 0,
            Properties = new() { ["com.microsoft:locked-until-utc"] = _time.GetUtcNow().AddSeconds(30).Ticks },
        });
        await opening;
        _peer.NothingMore();
        _intake.Ask();
        Assert.Equal(1u, _peer.Next<Flow>().LinkCredit);
    }

    public ValueTask DisposeAsync()
    {
        _peer.Break();
        return _receiver.DisposeAsync();
    }

    [Fact]
    public void A_message_that_waited_to_be_taken_is_ours_for_as_long_as_its_session_was_renewed_for_meanwhile()
    {
        Send();
        _time.Advance(TimeSpan.FromSeconds(20));
        _intake.Session.Locked(_time.GetTimestamp(), _time.GetUtcNow().AddSeconds(30));
        var room = new Delivery[1];

        Assert.Null(_handover.TakeOrWait(room, out _));

        Assert.Equal(_time.GetTimestamp(), room[0].LockedAt);
    }

    [Fact]
    public void The_next_message_may_come_only_once_the_last_one_is_settled_and_somebody_asks()
    {
        Send();
        _intake.Ask();
        _peer.NothingMore();

        _intake.Rest();
        _peer.NothingMore();

        _intake.Ask();
        _intake.Ask();
        Assert.Equal(1u, _peer.Next<Flow>().LinkCredit);
        _peer.NothingMore();
    }

    [Fact]
    public void What_comes_when_its_session_is_being_given_up_is_handed_to_nobody()
    {
        Assert.True(_intake.TryLeave());

        Send();

        Assert.NotNull(_handover.TakeOrWait(new Delivery[1], out _));
    }

    [Fact]
    public void A_session_of_which_something_has_come_is_not_given_up()
    {
        Send();

        Assert.False(_intake.TryLeave());

        _intake.Rest();
        Assert.True(_intake.TryLeave());
    }

    [Fact]
    public async Task The_state_of_a_session_that_was_lost_is_left_to_who_has_it_now()
    {
        _intake.Session.End(Renewal.Lost);

        var writing = await Assert.ThrowsAsync<BrokerException>(() => _intake.Session.SetStateAsync(new byte[1], default).AsTask());
        var reading = await Assert.ThrowsAsync<BrokerException>(() => _intake.Session.GetStateAsync(default).AsTask());

        Assert.Equal("The session 'shop' is no longer ours.", writing.Message);
        Assert.Equal(writing.Message, reading.Message);
    }

    [Fact]
    public async Task It_may_go_once_the_broker_sends_nothing_more()
    {
        var shutting = _intake.TryShutAsync().AsTask();
        Assert.True(_peer.Next<Flow>().Drain);
        Assert.False(shutting.IsCompleted);

        AnswerDrain();

        Assert.True(await shutting);
    }

    [Fact]
    public async Task It_stays_where_a_message_came_meanwhile()
    {
        var shutting = _intake.TryShutAsync().AsTask();
        Send();
        AnswerDrain();

        Assert.False(await shutting);
    }

    [Fact]
    public async Task A_broker_that_does_not_answer_is_not_waited_for()
    {
        var shutting = _intake.TryShutAsync().AsTask();

        _time.Advance(s_untilGivenUp);

        Assert.True(await shutting);
    }

    [Fact]
    public void One_that_is_lost_before_we_know_that_we_had_it_ends_in_peace()
    {
        var early = new SessionIntake(_receiver, new Handover(_time, Settler.GiveBack), new Incoming(_node.Entity, new Recollection(), _receiver.Problems, _clock, _time), _time);

        _receiver.Lost(early, new AmqpException(AmqpLevel.Link, new Symbol("com.microsoft:session-lock-lost"), "It expired."));

        Assert.False(early.IsOver);
    }

    [Fact]
    public async Task Whoever_receives_is_told_for_how_long_a_busy_broker_wants_its_peace()
    {
        var receiving = _receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        _receiver.Lost(_intake, new AmqpException(AmqpLevel.Link, new Symbol("com.microsoft:server-busy"), "Please wait 25 seconds."));

        Assert.Equal(TimeSpan.FromSeconds(25), (await Assert.ThrowsAsync<BrokerException>(() => receiving)).RetryAfter);
    }

    [Fact]
    public void Whoever_holds_leases_is_told_of_each_session_that_has_ended()
    {
        var epoch = _receiver.Epoch;

        _receiver.Lost(_intake, new AmqpException(AmqpLevel.Link, new Symbol("com.microsoft:session-lock-lost"), "It expired."));

        Assert.NotEqual(epoch, _receiver.Epoch);
    }

    private void Send()
    {
        using var writer = new AmqpWriter();
        new AmqpMessage { MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L } }.Encode(writer);
        _peer.Say(new Transfer { Handle = Theirs, DeliveryId = 0, DeliveryTag = Guid.NewGuid().ToByteArray(), MessageFormat = 0 }, payload: writer.Written.ToArray());
    }

    private void AnswerDrain() => _peer.SayFlow(Theirs, count: 1, credit: 0, drain: true);
}
