using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class IntakeSettlingTests : IAsyncLifetime
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly FakeChannel _channel = FakeChannel.Open();
    private readonly Recollection _recollection = new();
    private readonly VirtualTime _time = new();
    private readonly Intake _intake;
    private RabbitMqDelivery _delivery = null!;

    public IntakeSettlingTests() => _intake = Opened.On(_channel, _time, _recollection);

    public async ValueTask InitializeAsync() => _delivery = await TakeAsync();

    public ValueTask DisposeAsync() => _intake.CloseAsync();

    [Fact]
    public void What_is_let_go_is_given_back_once()
    {
        _intake.LetGo(_delivery);
        _intake.LetGo(_delivery);

        Assert.Equal(["nack 1"], _channel.Asked());
        Assert.False(_delivery.IsHeldMeanwhile);
        Assert.False(_delivery.TryEnd());
    }

    [Fact]
    public void What_is_being_settled_is_let_go_once_when_that_is_called_off()
    {
        Assert.True(_delivery.TryEnd());
        _intake.LetGo(_delivery);
        Assert.Empty(_channel.Asked());

        _intake.HoldOn(_delivery);
        _intake.LetGo(_delivery);
        Assert.Equal(["nack 1"], _channel.Asked());
    }

    [Fact]
    public void What_is_held_on_to_is_not_given_back_unless_it_was_let_go()
    {
        Assert.True(_delivery.TryEnd());

        _intake.HoldOn(_delivery);

        Assert.Empty(_channel.Asked());
        Assert.True(_delivery.IsHeldMeanwhile);
    }

    [Fact]
    public void What_is_sent_on_is_held_until_the_server_has_its_copy()
    {
        Assert.True(_delivery.TryBeginSendingOn());
        Assert.False(_delivery.TryEnd());
        Assert.True(_delivery.IsHeldMeanwhile);

        _delivery.EndSentOn();
        Assert.False(_delivery.IsHeldMeanwhile);
        Assert.False(_delivery.TryBeginSendingOn());
    }

    [Fact]
    public void What_could_not_be_sent_on_and_was_let_go_meanwhile_is_given_back_once()
    {
        Assert.True(_delivery.TryBeginSendingOn());
        _intake.LetGo(_delivery);
        Assert.Empty(_channel.Asked());

        _intake.HoldOn(_delivery);

        Assert.Equal(["nack 1"], _channel.Asked());
        Assert.False(_delivery.IsHeldMeanwhile);
    }

    [Fact]
    public async Task What_went_with_its_channel_is_left_alone()
    {
        await _channel.ShutDownAsync();

        _intake.LetGo(_delivery);

        Assert.Empty(_channel.Asked());
    }

    [Fact]
    public async Task Once_it_is_closed_nothing_more_is_given_back_for_all_of_it_has_gone_back()
    {
        await _intake.CloseAsync();
        _channel.Asked();

        _intake.LetGo(_delivery);

        Assert.Empty(_channel.Asked());
    }

    [Fact]
    public void What_can_not_be_given_back_ends_the_channel_so_that_it_goes_back_all_the_same()
    {
        _channel.Answer = question => question == "nack 1" ? Task.FromException(new InvalidOperationException("gone")) : Task.CompletedTask;

        _intake.LetGo(_delivery);

        Assert.True(_intake.HasFailed);
        Assert.Equal("gone", _delivery.WhySevered);
    }

    [Fact]
    public async Task A_failure_is_rejected_and_what_is_merely_given_back_is_not()
    {
        await _channel.DeliverAsync(2, "b");
        var room = new Delivery[3];
        await _intake.ReceiveAsync(room, default);

        await _intake.RejectAsync(_delivery, default);
        await _intake.GiveBackAsync((RabbitMqDelivery)room[0], default);

        Assert.Equal(["reject 1", "nack 2"], _channel.Asked());
        Assert.Equal(0, _delivery.Tap.Unsettled);
        Assert.Equal(1, _recollection.GivenBack);
    }

    [Fact]
    public async Task Closing_sends_the_acknowledgements_first()
    {
        _intake.Acknowledge(_delivery);

        await _intake.CloseAsync();

        Assert.Equal(["ack up to 1", "close"], _channel.Asked());
    }

    [Fact]
    public async Task What_was_settled_is_heard_of_once_the_server_has_answered_to_the_end_of_the_channel()
    {
        _intake.Acknowledge(_delivery);

        await _intake.CloseAsync();

        Assert.Equal(0, _intake.Unheard);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_to_the_end_of_the_channel_may_not_have_heard_of_what_was_settled()
    {
        var answer = new TaskCompletionSource();
        _channel.Answer = question => question == "close" ? answer.Task : Task.CompletedTask;
        _intake.Acknowledge(_delivery);

        var closing = _intake.CloseAsync().AsTask();
        Assert.Equal(["ack up to 1", "close"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        _time.Advance(TimeSpan.FromSeconds(2));
        await closing.WaitAsync(s_patience);
        answer.SetResult();

        Assert.Equal(1, _intake.Unheard);
    }

    [Fact]
    public async Task Nor_may_one_that_has_ended_the_channel_itself()
    {
        _intake.Acknowledge(_delivery);
        await _channel.ShutDownAsync();

        await _intake.CloseAsync();

        Assert.Equal(1, _intake.Unheard);
    }

    [Fact]
    public async Task What_was_settled_shortly_before_it_is_closed_is_known_when_it_comes_again()
    {
        _intake.Acknowledge(_delivery);
        await _intake.AcknowledgementsSentAsync().WaitAsync(s_patience);
        Assert.False(_recollection.IsSettled(_delivery.Key));

        await _intake.CloseAsync();

        Assert.True(_recollection.IsSettled(_delivery.Key));
    }

    [Fact]
    public async Task What_was_settled_shortly_before_the_channel_ended_is_known_when_it_comes_again()
    {
        _intake.Acknowledge(_delivery);
        Assert.False(_recollection.IsSettled(_delivery.Key));

        await _channel.ShutDownAsync();

        Assert.True(_recollection.IsSettled(_delivery.Key));
        Assert.True(Again(isRedelivered: true).WasSettled);
        Assert.False(Again(isRedelivered: false).WasSettled);
    }

    [Fact]
    public async Task Another_message_of_the_same_name_is_not_taken_for_it()
    {
        _intake.Acknowledge(_delivery);
        await _channel.ShutDownAsync();
        var same = Arriving.Message("a", isRedelivered: true) with { Exchange = "", RoutingKey = "orders", Body = [] };
        Arrival[] others =
        [
            same with { Body = [1] },
            same with { RoutingKey = "orders.shipped" },
            same with { Exchange = "shop" },
            same with { Envelope = new BasicProperties { MessageId = "a", Type = "shipped" } },
            same with { Envelope = new BasicProperties { MessageId = "a", Timestamp = new AmqpTimestamp(1) } },
        ];

        Assert.True(Again(same).WasSettled);
        Assert.All(others, other => Assert.False(Again(other).WasSettled));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public async Task A_dead_letter_that_was_replayed_is_not_the_message_that_was_settled(int replays, bool isKnown)
    {
        _intake.Acknowledge(_delivery);
        await _channel.ShutDownAsync();
        Again(isRedelivered: true);

        var again = Again(isRedelivered: true, ("holdfast-replays", replays));

        Assert.Equal((isKnown, isKnown ? 3 : 2), (again.WasSettled, again.DeliveryCount));
    }

    [Fact]
    public async Task What_is_settled_once_the_channel_has_ended_is_known_too()
    {
        await _channel.ShutDownAsync();

        _intake.Acknowledge(_delivery);

        Assert.True(_recollection.IsSettled(_delivery.Key));
    }

    [Fact]
    public async Task What_the_server_has_heard_of_for_sure_is_not_kept()
    {
        _intake.Acknowledge(_delivery);
        await _intake.AcknowledgementsSentAsync().WaitAsync(s_patience);
        for (var beat = 0; beat < 3; beat++)
            await _intake.BeatAsync();

        await _channel.ShutDownAsync();

        Assert.False(_recollection.IsSettled(_delivery.Key));
    }

    [Fact]
    public async Task Where_very_much_was_settled_since_the_last_answer_the_server_is_asked_for_one()
    {
        const int MostInDoubt = 4096;
        await _intake.BeatAsync();
        _channel.Asked();
        List<(ulong, MessageKey?)> sent = [.. Enumerable.Repeat((1ul, (MessageKey?)_delivery.Key), MostInDoubt - 1)];
        _intake.Acknowledged(sent);
        Assert.Empty(_channel.Asked());

        _intake.Acknowledged([(1, _delivery.Key)]);

        Assert.Equal(["qos 4"], _channel.Asked());
    }

    [Fact]
    public async Task What_has_yet_to_be_sent_is_kept_however_often_the_server_answers_meanwhile()
    {
        var sending = new TaskCompletionSource();
        _channel.Answer = asked => asked.StartsWith("ack", StringComparison.Ordinal) ? sending.Task : Task.CompletedTask;
        _intake.Acknowledge(_delivery);
        Assert.Equal("ack up to 1", await _channel.AskedAsync());
        for (var beat = 0; beat < 3; beat++)
            await _intake.BeatAsync();
        sending.SetResult();
        await _intake.AcknowledgementsSentAsync().WaitAsync(s_patience);

        await _channel.ShutDownAsync();

        Assert.True(_recollection.IsSettled(_delivery.Key));
    }

    [Fact]
    public async Task A_sign_of_life_asks_for_the_prefetch_that_there_is()
    {
        await _intake.BeatAsync();

        Assert.Equal(["qos 4"], _channel.Asked());
    }

    [Fact]
    public async Task Once_it_is_closed_none_is_asked_for()
    {
        await _intake.CloseAsync();
        _channel.Asked();

        await Assert.ThrowsAsync<OperationCanceledException>(_intake.BeatAsync);

        Assert.Empty(_channel.Asked());
    }

    [Fact]
    public async Task One_that_nobody_named_is_not_taken_for_another()
    {
        var nameless = new RabbitMqDelivery(_delivery.Tap, Arriving.Message(id: null, tag: 2));
        _intake.Acknowledge(nameless);

        await _channel.ShutDownAsync();

        Assert.False(_recollection.IsSettled(nameless.Key));
    }

    [Theory]
    [InlineData("a", true)]
    [InlineData("", false)]
    [InlineData(null, false)]
    public void A_name_that_was_made_up_for_one_delivery_is_none(string? id, bool isNamed)
    {
        Delivery delivery = new RabbitMqDelivery(_delivery.Tap, Arriving.Message(id, tag: 2));

        Assert.NotEmpty(delivery.Message.Id);
        Assert.Equal(isNamed, delivery.IsNamed);
    }

    private RabbitMqDelivery Again(bool isRedelivered, params (string Name, object? Value)[] headers) =>
        Again(Arriving.Message("a", isRedelivered: isRedelivered, headers: headers) with { Exchange = "", RoutingKey = "orders", Body = [] });

    private RabbitMqDelivery Again(Arrival arrival) =>
        new(new Tap(Opened.On(FakeChannel.Open(), TimeProvider.System, _recollection), prefetch: 1), arrival);

    private async Task<RabbitMqDelivery> TakeAsync()
    {
        var room = new Delivery[4];
        var waiting = _intake.ReceiveAsync(room, default).AsTask();
        Assert.Equal(["qos 4", "consume"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        await _channel.DeliverAsync(1, "a");
        Assert.Equal(1, await waiting.WaitAsync(s_patience));
        return (RabbitMqDelivery)room[0];
    }
}
