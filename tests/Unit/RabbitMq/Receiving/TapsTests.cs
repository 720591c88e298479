using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class TapsTests : IAsyncLifetime
{
    private const int Slots = 32;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_gathering = TimeSpan.FromMilliseconds(25);
    private static readonly TimeSpan s_shutAfter = TimeSpan.FromMilliseconds(100);

    private readonly VirtualTime _time = new();
    private readonly FakeChannel _channel = FakeChannel.Open();
    private readonly Queue<RabbitMqDelivery> _held = new();
    private readonly Intake _intake;
    private ulong _tag;

    public TapsTests() => _intake = Opened.On(_channel, _time);

    // All slots are taken, and the consumer that filled them was ended, for one message more was not taken at once. One by one they end now.
    public async ValueTask InitializeAsync()
    {
        var filling = Receive(Slots);
        await AsksAsync($"qos {Slots}", "consume");
        for (var slot = 0; slot < Slots; slot++)
            await DeliverAsync();
        await TakenAsync(filling);
        while (_held.Count < Slots)
            await TakenAsync(Receive(Slots - _held.Count));
        End(1);
        await DeliverAsync();
        _time.Advance(s_shutAfter);
        await AsksAsync("cancel");
        await TakenAsync(Receive(1));
        Assert.Equal(Slots, _held.Count);
    }

    public ValueTask DisposeAsync() => _intake.CloseAsync();

    [Fact]
    public async Task Who_waits_while_no_consumer_has_anything_free_is_given_another_once_enough_has_ended()
    {
        await OneMoreAsync();
        End(1);
        var waiting = Receive(1);

        // Too little for a consumer of its own, so soon.
        End(1);
        Assert.DoesNotContain(_channel.Asked(), IsNoAck);
        End(1);

        await AsksAsync("qos 3", "consume");
        await DeliverAsync();
        await TakenAsync(waiting);
    }

    [Fact]
    public async Task And_after_a_moment_however_little_has_ended()
    {
        await OneMoreAsync();
        End(1);
        var waiting = Receive(1);
        await MomentAsync();

        _time.Advance(s_gathering);

        await AsksAsync("qos 1", "consume");
        await DeliverAsync();
        await TakenAsync(waiting);
    }

    [Fact]
    public async Task The_moment_begins_anew_with_each_message_that_ends_so_that_few_consumers_serve_many()
    {
        await OneMoreAsync();
        End(1);
        var waiting = Receive(1);
        await MomentAsync();
        _time.Advance(s_gathering - TimeSpan.FromTicks(1));

        End(1);
        _time.Advance(s_gathering - TimeSpan.FromTicks(1));
        Assert.DoesNotContain(_channel.Asked(), IsNoAck);
        _time.Advance(TimeSpan.FromTicks(1));

        await AsksAsync("qos 2", "consume");
        await DeliverAsync();
        await TakenAsync(waiting);
    }

    [Fact]
    public async Task However_many_consumers_that_takes_there_are_never_too_many()
    {
        for (var consumers = 1; consumers <= 8; consumers++)
            await OneMoreInAMomentAsync(isFirst: consumers == 1);
        End(1);
        var waiting = Receive(1);
        await MomentAsync();
        _time.Advance(s_gathering);

        await AsksAsync([.. Enumerable.Repeat("cancel", 8), "qos 1", "consume"]);
        await DeliverAsync();
        await TakenAsync(waiting);
    }

    [Fact]
    public void Where_nobody_waits_no_end_of_a_message_asks_for_another()
    {
        End(Slots);
        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.DoesNotContain(_channel.Asked(), IsNoAck);
    }

    private Task OneMoreAsync() => OneMoreInAMomentAsync(isFirst: true);

    private async Task OneMoreInAMomentAsync(bool isFirst)
    {
        End(1);
        var waiting = Receive(1);
        if (!isFirst)
        {
            await MomentAsync();
            _time.Advance(s_gathering);
        }

        await AsksAsync("qos 1", "consume");
        await DeliverAsync();
        await TakenAsync(waiting);
    }

    private (Task<int> Taking, Delivery[] Room) Receive(int room)
    {
        var deliveries = new Delivery[room];
        return (_intake.ReceiveAsync(deliveries, default).AsTask(), deliveries);
    }

    private async Task TakenAsync((Task<int> Taking, Delivery[] Room) receive)
    {
        var count = await receive.Taking.WaitAsync(s_patience);
        foreach (var delivery in receive.Room.Take(count))
            _held.Enqueue((RabbitMqDelivery)delivery);
    }

    private Task DeliverAsync() => _channel.DeliverAsync(++_tag, $"{_tag}");

    private void End(int count)
    {
        for (var i = 0; i < count; i++)
            _intake.Acknowledge(_held.Dequeue());
    }

    // The consumer that was opened last may still be about to be done with.
    private async Task MomentAsync()
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (_time.UntilNextTimer != s_gathering && !patience.IsCancellationRequested)
            await Task.Yield();
    }

    private async Task AsksAsync(params string[] questions)
    {
        foreach (var question in questions)
        {
            string asked;
            do
                asked = await _channel.AskedAsync();
            while (!IsNoAck(asked));
            Assert.Equal(question, asked);
        }
    }

    private static bool IsNoAck(string question) => !question.StartsWith("ack", StringComparison.Ordinal);
}
