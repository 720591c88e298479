using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class DroughtTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(15);

    private readonly VirtualTime _time = new();
    private readonly DroughtPatience _between = new();
    private readonly FakeChannel _channel = FakeChannel.Open();
    private readonly Intake _intake;
    private RabbitMqDelivery? _delivery;

    public DroughtTests() => _intake = Opened.On(_channel, _time, patience: _between);

    [Fact]
    public async Task A_queue_that_has_nothing_is_looked_at_and_left_in_peace()
    {
        await WaitAsync();

        _time.Advance(5 * s_look);

        Assert.Equal(Enumerable.Repeat("look", 5), _channel.Asked());
        Assert.False(_intake.IsOver);
    }

    [Fact]
    public async Task Until_the_server_has_surely_heard_of_what_was_settled_it_is_asked_for_a_sign_of_life_at_each_look()
    {
        var waiting = await WaitAsync();
        await _channel.DeliverAsync(1, "a");
        await waiting.WaitAsync(s_patience);
        Assert.True(_delivery!.TryEnd());
        _intake.Acknowledge(_delivery);
        await _intake.AcknowledgementsSentAsync();
        await WaitAsync(isFirst: false);
        _time.Advance(s_look);
        _channel.Asked();

        _time.Advance(5 * s_look);

        Assert.Equal(["qos 1", "look", "qos 1", "look", "qos 1", "look", "look", "look"], _channel.Asked());
    }

    [Fact]
    public async Task Messages_that_are_there_at_two_looks_and_do_not_come_end_the_intake()
    {
        var waiting = await WaitAsync();
        _channel.Ready = 7;

        _time.Advance(s_look);
        Assert.False(_intake.IsOver);
        _time.Advance(s_look);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.Contains("orders has 7 messages ready and 1 consumers, but sends us nothing", problem.Message, StringComparison.Ordinal);
        Assert.True(_intake.IsOver);
        _channel.Asked();
        _time.Advance(TimeSpan.FromHours(1));
        Assert.Empty(_channel.Asked());
    }

    [Fact]
    public async Task Once_it_has_ended_the_server_sends_nothing_more_to_it()
    {
        await WaitAsync();
        _channel.Ready = 7;

        _time.Advance(2 * s_look);

        Assert.Equal(["look", "look", "close"], _channel.Asked());
    }

    [Fact]
    public async Task A_queue_that_has_lost_sight_of_its_consumer_ends_the_intake_too()
    {
        var waiting = await WaitAsync();
        _channel.Consumers = 0;

        _time.Advance(3 * s_look);
        Assert.False(_intake.IsOver);
        _time.Advance(s_look);

        Assert.Contains("nobody consumes orders", (await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_leader_that_was_too_slow_to_be_asked_and_is_no_longer_ends_nothing()
    {
        await WaitAsync();

        foreach (var consumers in (uint[])[0, 0, 0, 1, 0, 0, 0])
        {
            _channel.Consumers = consumers;
            _time.Advance(s_look);
        }

        Assert.False(_intake.IsOver);
    }

    [Fact]
    public async Task Messages_that_others_had_taken_by_the_next_look_prove_nothing()
    {
        await WaitAsync();

        foreach (var ready in (uint[])[7, 0, 7, 0])
        {
            _channel.Ready = ready;
            _time.Advance(s_look);
        }

        Assert.False(_intake.IsOver);
    }

    [Fact]
    public async Task What_arrives_while_the_queue_is_asked_for_says_more_than_its_answer()
    {
        var waiting = await WaitAsync();
        _channel.Ready = 7;
        _time.Advance(s_look);
        var answering = new TaskCompletionSource();
        _channel.Answer = _ => answering.Task;

        _time.Advance(s_look);
        await _channel.DeliverAsync(1, "a");
        answering.SetResult();

        await waiting.WaitAsync(s_patience);
        Assert.False(_intake.IsOver);
    }

    [Fact]
    public async Task While_something_arrives_nobody_looks()
    {
        var waiting = await WaitAsync();
        _channel.Ready = 7;
        for (ulong tag = 1; tag <= 4; tag++)
        {
            _time.Advance(s_look / 2);
            await _channel.DeliverAsync(tag, $"{tag}");
            await waiting.WaitAsync(s_patience);
            _intake.LetGo(_delivery!);
            waiting = await WaitAsync(isFirst: false);
            _time.Advance(s_look / 2);
        }

        Assert.DoesNotContain("look", _channel.Asked());
    }

    [Fact]
    public async Task What_is_in_hand_is_not_risked()
    {
        var waiting = await WaitAsync();
        await _channel.DeliverAsync(1, "a");
        await waiting.WaitAsync(s_patience);
        _channel.Ready = 7;
        waiting = await WaitAsync(isFirst: false);

        _time.Advance(10 * s_look);

        Assert.DoesNotContain("look", _channel.Asked());
        Assert.False(waiting.IsCompleted);
    }

    [Fact]
    public async Task Where_nobody_asks_for_messages_none_are_missed()
    {
        _channel.Ready = 7;

        _time.Advance(10 * s_look);

        Assert.Empty(_channel.Asked());
        await _intake.CloseAsync();
    }

    [Fact]
    public async Task A_queue_that_is_gone_ends_the_intake_but_not_for_good()
    {
        var waiting = await WaitAsync();
        _channel.Answer = _ => Task.FromException(new BrokerException("no queue", isTransient: false));

        _time.Advance(s_look);
        Assert.False(_intake.IsOver);
        _time.Advance(s_look);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Equal(("no queue", true), (problem.Message, problem.IsTransient));
    }

    [Fact]
    public async Task What_was_in_vain_is_tried_again_less_and_less_often_until_something_arrives()
    {
        var waiting = await WaitAsync();
        _channel.Ready = 7;
        _time.Advance(2 * s_look);
        await Assert.ThrowsAsync<BrokerException>(() => waiting.WaitAsync(s_patience));
        Assert.Equal(2 * s_look, _between.Length);
        for (var i = 0; i < 20; i++)
            _between.Lengthen();
        Assert.Equal(TimeSpan.FromHours(1), _between.Length);

        var channel = FakeChannel.Open();
        var next = Opened.On(channel, _time, patience: _between);
        var room = new Delivery[1];
        var arriving = next.ReceiveAsync(room, default).AsTask();
        Assert.Equal(["qos 1", "consume"], [await channel.AskedAsync(), await channel.AskedAsync()]);
        await channel.DeliverAsync(1, "a");
        await arriving.WaitAsync(s_patience);

        Assert.Equal(s_look, _between.Length);
        next.LetGo((RabbitMqDelivery)room[0]);
        _ = next.ReceiveAsync(room, default).AsTask();
        channel.Asked();
        _time.Advance(2 * s_look);
        Assert.Equal(["look"], channel.Asked());
    }

    private async Task<Task> WaitAsync(bool isFirst = true)
    {
        var waiting = ReceiveAsync();
        if (isFirst)
            Assert.Equal(["qos 1", "consume"], [await _channel.AskedAsync(), await _channel.AskedAsync()]);
        return waiting;

        async Task ReceiveAsync()
        {
            var room = new Delivery[1];
            await _intake.ReceiveAsync(room, default);
            _delivery = (RabbitMqDelivery)room[0];
        }
    }
}
