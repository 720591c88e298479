using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Kit.Amqp;
using Holdfast.Tests.Unit.Amqp;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>One link's credit, with a peer by hand.</summary>
public sealed class IntakeTests : IAsyncLifetime
{
    private const uint Theirs = 9;

    private static readonly TimeSpan s_untilShut = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_untilGivenUp = TimeSpan.FromSeconds(2);

    private readonly VirtualTime _time = new();
    private readonly Handover _handover;
    private readonly Intake _intake;
    private PeerByHand _peer = null!;
    private AmqpReceiver _link = null!;

    public IntakeTests()
    {
        var entity = EntityName.Parse("orders");
        var problems = new Problems(NamespaceAddress.OfHost("one.servicebus.windows.net"), new KeyTokens(new SharedAccessKey("me", "secret"), _time));
        _handover = new Handover(_time, Settler.GiveBack);
        _intake = new Intake(entity, _handover, new Incoming(entity, new Recollection(), problems, new BrokerClock(_time), _time), problems, problem => problems.Of(problem, entity), s_untilGivenUp, _time);
    }

    public async ValueTask InitializeAsync()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        _peer = peer;
        var opening = _intake.OpenAsync(async options => _link = await session.OpenReceiverAsync(options, default)).AsTask();
        var attach = _peer.Next<Attach>();
        _peer.Say(new Attach { Name = attach.Name, Handle = Theirs, Role = Role.Sender, Source = attach.Source, Target = attach.Target, InitialDeliveryCount = 0 });
        await opening;
    }

    public ValueTask DisposeAsync()
    {
        _peer.Break();
        return _intake.CloseAsync();
    }

    [Fact]
    public void What_nobody_waits_for_any_more_is_taken_back()
    {
        LeaveCredit(5);

        _time.Advance(s_untilShut);

        Assert.True(_peer.Next<Flow>().Drain);
    }

    [Fact]
    public void And_again_when_the_next_one_has_gone_away()
    {
        LeaveCredit(5);
        _time.Advance(s_untilShut);
        AnswerDrain(_peer.Next<Flow>());

        LeaveCredit(3);
        _time.Advance(s_untilShut);

        Assert.True(_peer.Next<Flow>().Drain);
    }

    [Fact]
    public void What_came_for_one_who_had_gone_away_is_given_back_when_nobody_has_taken_it_in_time()
    {
        LeaveCredit(1);
        Send();
        _time.Advance(Handover.LongestWait - TimeSpan.FromSeconds(1));
        _peer.NothingMore();

        _time.Advance(TimeSpan.FromSeconds(1));

        Assert.IsType<Released>(_peer.Next<Disposition>().State);
    }

    [Fact]
    public void What_is_asked_for_during_that_is_given_after_it()
    {
        LeaveCredit(5);
        _time.Advance(s_untilShut);
        Ask(3);
        var flow = _peer.Next<Flow>();
        Assert.True(flow.Drain);
        _peer.NothingMore();

        AnswerDrain(flow);

        Assert.Equal(3u, _peer.Next<Flow>().LinkCredit);
    }

    [Fact]
    public async Task What_was_asked_for_by_those_who_leave_meanwhile_is_not_given_any_more()
    {
        var (first, drain) = BeginLeaving(Ask(5));
        var second = _intake.TryLeaveAsync(Ask(3)).AsTask();
        _peer.NothingMore();

        AnswerDrain(drain);

        Assert.True(await first);
        Assert.True(await second);
        _peer.NothingMore();
        Assert.Equal(0u, _link.Credit);
    }

    [Fact]
    public async Task Nor_is_it_to_those_who_stay()
    {
        var (first, drain) = BeginLeaving(Ask(5));
        Ask(3);
        var third = _intake.TryLeaveAsync(Ask(2)).AsTask();
        Assert.True(await third);

        AnswerDrain(drain);

        Assert.Equal(3u, _peer.Next<Flow>().LinkCredit);
        Assert.True(await first);
        _peer.NothingMore();
    }

    [Fact]
    public async Task Who_comes_at_the_very_moment_is_not_left_without_anything()
    {
        // Each of a hundred moments is tried fifty times, and each time two threads take turns, which takes a while where others want the processors too.
        const int Times = 5_000;
        var (begun, done) = (0, 0);
        var shutting = Task.Factory.StartNew(Shut, TaskCreationOptions.LongRunning);
        try
        {
            for (var time = 1; time <= Times; time++)
            {
                LeaveCredit(5);
                Volatile.Write(ref begun, time);

                // A little later each time, so that one of the times hits any gap that there is.
                Thread.SpinWait(time % 100);
                var wait = Ask(3);
                Until(ref done, time);

                while (_peer.HasMore)
                {
                    if (_peer.Next<Flow>() is { Drain: true } drain)
                        AnswerDrain(drain);
                }

                Assert.Equal(3u, _link.Credit);
                Assert.True(_handover.TryLeave(wait));
            }
        }
        finally
        {
            Volatile.Write(ref begun, Times);
            await shutting;
        }

        void Shut()
        {
            for (var time = 1; time <= Times; time++)
            {
                Until(ref begun, time);
                _time.Advance(s_untilShut);
                Volatile.Write(ref done, time);
            }
        }

        static void Until(ref int value, int time)
        {
            for (var spin = new SpinWait(); Volatile.Read(ref value) < time;)
                spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    [Fact]
    public async Task A_broker_that_does_not_answer_to_that_is_no_longer_waited_for_and_who_asks_hears_nothing_of_it()
    {
        LeaveCredit(5);
        _time.Advance(s_untilShut);
        var wait = Ask(3);

        _time.Advance(s_untilGivenUp);

        Assert.Equal(0, await wait.Task);
        Assert.True(_intake is { IsOver: true, EndedInPeace: true });
    }

    [Theory]
    [InlineData(30, 4)]
    [InlineData(3, 3)]
    public void The_next_link_s_broker_is_given_more_time_for_that(int most, int next)
    {
        Assert.Equal(s_untilGivenUp, _intake.NextTimeToDrain(TimeSpan.FromSeconds(most)));
        LeaveCredit(5);
        _time.Advance(s_untilShut);

        _time.Advance(s_untilGivenUp);

        Assert.Equal(TimeSpan.FromSeconds(next), _intake.NextTimeToDrain(TimeSpan.FromSeconds(most)));
    }

    [Fact]
    public void What_it_sends_in_spite_of_that_goes_back_and_its_link_is_closed_so_that_nothing_more_comes()
    {
        LeaveCredit(5);
        _time.Advance(s_untilShut);
        Assert.True(_peer.Next<Flow>().Drain);
        Send();

        _time.Advance(s_untilGivenUp);

        var back = _peer.Next<Disposition>();
        Assert.True(back is { Settled: true, State: Released });
        _peer.Next<End>();
        Assert.NotNull(_link.Failure);
    }

    [Fact]
    public async Task A_link_that_the_broker_ends_for_its_quiet_ends_with_nothing_so_that_another_is_opened()
    {
        var wait = Ask(3);
        _time.Advance(TimeSpan.FromMinutes(10));

        Detach(Conditions.DetachForced);

        Assert.Equal(0, await wait.Task);
        Assert.True(_intake is { HasRested: true, IsOver: true, LivingLink: null });
    }

    [Theory]
    [InlineData(59, "amqp:link:detach-forced")]
    [InlineData(600, "amqp:internal-error")]
    public async Task One_that_is_ended_sooner_or_for_another_reason_is_told_of(int seconds, string condition)
    {
        var wait = Ask(3);
        _time.Advance(TimeSpan.FromSeconds(seconds));

        Detach(condition);

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => wait.Task)).IsTransient);
        Assert.False(_intake.HasRested);
    }

    [Fact]
    public void A_message_of_which_little_can_be_read_comes_alone_and_leaves_the_link_as_it_is()
    {
        Ask(3);
        _peer.Next<Flow>();

        Send(new UnreadValue(NestedLists.Of(40)));

        Assert.Null(_link.Failure);
        Assert.False(_intake.IsOver);
        Assert.Equal(2u, _link.Credit);
    }

    private void Detach(string condition) => _peer.Say(new Detach { Handle = Theirs, Closed = true, Error = new AmqpError(condition, "quiet") });

    private void Send(object? strange = null)
    {
        using var writer = new AmqpWriter();
        new AmqpMessage
        {
            MessageAnnotations = new() { ["strange"] = strange, ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(60)) },
            Properties = new() { CorrelationId = strange },
        }.Encode(writer);
        _peer.Say(new Transfer { Handle = Theirs, DeliveryId = 0, DeliveryTag = Guid.NewGuid().ToByteArray(), MessageFormat = 0 }, payload: writer.Written.ToArray());
    }

    private Wait Ask(int room)
    {
        var wait = _handover.TakeOrWait(new Delivery[room], out _)!;
        _intake.Ask();
        return wait;
    }

    // What it asked for is being taken back.
    private (Task<bool> Leaving, Flow Drain) BeginLeaving(Wait wait)
    {
        _peer.Next<Flow>();
        var leaving = _intake.TryLeaveAsync(wait).AsTask();
        var drain = _peer.Next<Flow>();
        Assert.True(drain.Drain);
        return (leaving, drain);
    }

    // Somebody asks and goes away again.
    private void LeaveCredit(int room)
    {
        Assert.True(_handover.TryLeave(Ask(room)));
        _peer.Next<Flow>();
        _intake.Watch();
    }

    private void AnswerDrain(Flow asked) => _peer.SayFlow(Theirs, (asked.DeliveryCount + asked.LinkCredit)!.Value, credit: 0, drain: true);
}
