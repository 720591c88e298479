using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>What a quorum queue takes back while the channel lives, and hands out by the same channel once more.</summary>
public sealed class RepeatsTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly DateTimeOffset s_sent = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);

    private readonly Dictionary<string, FakeConnection> _connections = [];
    private readonly RabbitMqBroker _broker;

    public RepeatsTests() => _broker = new(new() { Uri = "amqp://host" }, ConnectAsync);

    private FakeChannel Channel => _connections["orders, receiving"].Channels[^1];

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task A_message_that_comes_again_is_no_longer_held_by_its_earlier_delivery()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", default);
        var first = await TakeAsync(receiver, tag: 1, "a");
        var other = await TakeAsync(receiver, tag: 2, "b");
        var epoch = receiver.Epoch;
        Assert.Null(first.Fate);

        var again = await TakeAsync(receiver, tag: 3, "a", returns: 1);

        Assert.NotEqual(epoch, receiver.Epoch);
        Assert.Equal([Renewal.Lost, null, null], [first.Fate, other.Fate, again.Fate]);
        var outcomes = new Renewal[3];
        await receiver.RenewAsync(new[] { first, other, again }, outcomes, default);
        Assert.Equal([Renewal.Lost, Renewal.Renewed, Renewal.Renewed], outcomes);
        Assert.False(await receiver.SettleAsync(first, Settlement.Complete, default));
        Assert.DoesNotContain(Channel.Asked(), asked => asked.StartsWith("ack", StringComparison.Ordinal));
        Assert.True(await receiver.SettleAsync(again, Settlement.Complete, default));
        var asked = await Channel.AskedAsync();
        while (!asked.StartsWith("ack", StringComparison.Ordinal))
            asked = await Channel.AskedAsync();
        Assert.Equal("ack 3", asked);
    }

    [Fact]
    public async Task Nor_by_any_of_several()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", default);
        var first = await TakeAsync(receiver, tag: 1, "a");
        var second = await TakeAsync(receiver, tag: 2, "a", returns: 1);
        var third = await TakeAsync(receiver, tag: 3, "a", returns: 2);

        Assert.Equal([Renewal.Lost, Renewal.Lost, null], [first.Fate, second.Fate, third.Fate]);
        Assert.True(await receiver.SettleAsync(third, Settlement.Complete, default));
    }

    [Fact]
    public async Task Nothing_is_kept_of_one_that_has_come_to_its_end()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", default);
        var first = await TakeAsync(receiver, tag: 1, "a");
        var again = await TakeAsync(receiver, tag: 2, "a", returns: 1);
        Assert.Equal(Renewal.Lost, first.Fate);

        Assert.True(await receiver.SettleAsync(again, Settlement.Complete, default));

        // Whoever had the earlier one was told when it came again. Now there is nothing left to tell it by.
        Assert.Null(first.Fate);
    }

    [Theory]
    [InlineData("a", 0, "body", 0, 0)]
    [InlineData("", 1, "body", 0, 0)]
    [InlineData("b", 1, "body", 0, 0)]
    [InlineData("a", 1, "another", 0, 0)]
    [InlineData("a", 1, "body", 1, 0)]
    [InlineData("a", 1, "body", 0, 1)]
    public async Task What_differs_is_another_message_whose_lease_nobody_touches(string id, int returns, string body, int later, int earlierDeliveries)
    {
        var receiver = await _broker.OpenReceiverAsync("orders", default);
        var first = await TakeAsync(receiver, tag: 1, "a");

        await TakeAsync(receiver, tag: 2, id, returns, body, s_sent.AddSeconds(later), earlierDeliveries);

        Assert.Null(first.Fate);
        Assert.True(await receiver.SettleAsync(first, Settlement.Complete, default));
    }

    [Fact]
    public async Task Two_messages_that_nothing_tells_apart_do_not_call_each_other_off_for_ever()
    {
        var receiver = await _broker.OpenReceiverAsync("orders", default);
        var one = await TakeAsync(receiver, tag: 1, "a");
        var two = await TakeAsync(receiver, tag: 2, "a", returns: 1);
        Assert.Equal(Renewal.Lost, one.Fate);
        receiver.LetGo(one);

        var oneAgain = await TakeAsync(receiver, tag: 3, "a", returns: 1);

        Assert.Equal([null, null], [two.Fate, oneAgain.Fate]);
    }

    [Fact]
    public async Task Its_handler_is_called_off_before_the_message_is_handled_again_and_that_is_a_miss()
    {
        var begun = new TaskCompletionSource();
        var firstHas = new TaskCompletionSource<TimeSpan>();
        HeldMessage? first = null;
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => _broker).Handle("orders", HandleAsync, _ => { });
        using var host = builder.Build();
        await host.StartAsync();
        await Eventually(() => _connections.ContainsKey("orders, receiving") && _connections["orders, receiving"].Channels.Count > 0);
        Assert.StartsWith("qos", await Channel.AskedAsync(), StringComparison.Ordinal);
        Assert.Equal("consume", await Channel.AskedAsync());

        await Channel.DeliverAsync(1, Envelope("a", 0, s_sent, 0), isRedelivered: false);
        await begun.Task.WaitAsync(s_patience);
        await Channel.DeliverAsync(2, Envelope("a", 1, s_sent, 0), isRedelivered: true);

        Assert.Equal(TimeSpan.Zero, await firstHas.Task.WaitAsync(s_patience));
        await host.StopAsync();
        var queue = host.Services.GetRequiredService<IEngine>().Status.Queues[0];
        Assert.Equal((2, 1, 1), (queue.Received, queue.Completed, queue.Misses));
        Assert.Contains("nack 1", Channel.Asked());

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            if (message.DeliveryCount > 1)
            {
                firstHas.SetResult(first!.LeaseRemaining);
                return Settlement.Complete;
            }

            first = message;
            begun.SetResult();

            // It hears of it at once, though perhaps a moment after the other has begun: it is told on the .NET pool.
            await Task.Delay(Timeout.Infinite, cancel);
            return Settlement.Complete;
        }
    }

    private static async Task Eventually(Func<bool> holds)
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (!holds() && !patience.IsCancellationRequested)
            await Task.Yield();
    }

    private static BasicProperties Envelope(string id, int returns, DateTimeOffset sent, int earlierDeliveries)
    {
        var headers = new Dictionary<string, object?> { ["timestamp_in_ms"] = sent.ToUnixTimeMilliseconds() };
        if (returns > 0)
            headers["x-delivery-count"] = (long)returns;
        if (earlierDeliveries > 0)
            headers["holdfast-deliveries"] = earlierDeliveries;
        return new() { MessageId = id, Headers = headers };
    }

    private async Task<Delivery> TakeAsync(
        IReceiver receiver, ulong tag, string id, int returns = 0, string body = "body", DateTimeOffset? sent = null, int earlierDeliveries = 0)
    {
        var room = new Delivery[1];
        var receiving = receiver.ReceiveAsync(room, default).AsTask();
        while (tag == 1 && await Channel.AskedAsync() != "consume")
        {
            // Until there is somebody to deliver to.
        }

        await Channel.DeliverAsync(tag, Envelope(id, returns, sent ?? s_sent, earlierDeliveries), isRedelivered: returns > 0 || tag > 1, System.Text.Encoding.UTF8.GetBytes(body));
        Assert.Equal(1, await receiving.WaitAsync(s_patience));
        return room[0];
    }

    private Task<IConnection> ConnectAsync(string purpose)
    {
        var connection = FakeConnection.Open();
        lock (_connections)
            _connections[purpose] = connection;
        return Task.FromResult(connection.Connection);
    }
}
