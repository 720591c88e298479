using System.Collections.Concurrent;
using System.Text;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Queues with sessions: each session's messages one at a time, in order, under one lock.</summary>
public sealed class SessionTests
{
    private static readonly QueueSettings s_settings = new() { RequiresSession = true, LockDuration = TimeSpan.FromSeconds(10) };

    [Fact]
    public async Task The_messages_of_a_session_come_one_at_a_time_in_order()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2", "3");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        List<string> order = [];
        var room = new Delivery[8];
        while (order.Count < 3)
        {
            Assert.Equal(1, await receiver.ReceiveAsync(room, default));
            Assert.Equal("a", room[0].Session!.Id);
            Assert.Equal("a", room[0].Message.SessionId);
            using var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiver.ReceiveAsync(new Delivery[8], soon.Token).AsTask());
            order.Add(room[0].Message.Id);
            await receiver.CompleteAsync(room[0]);
        }

        Assert.Equal(["1", "2", "3"], order);
    }

    [Fact]
    public async Task Several_sessions_are_handled_at_once_and_each_in_order()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true, maxSessions: 4, idleSeconds: 1);
        var names = Port.Names(6);
        foreach (var session in names)
            await SendAsync(broker, session, [.. Enumerable.Range(0, 5).Select(n => $"{session}-{n}")]);
        var handled = new ConcurrentQueue<string>();
        var (running, most) = (new ConcurrentDictionary<string, bool>(), 0);

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, HandleAsync, options => options.MaxConcurrency = 8))
            await consuming.DoneAsync(30);

        foreach (var session in names)
            Assert.Equal(Enumerable.Range(0, 5).Select(n => $"{session}-{n}"), handled.Where(id => id.StartsWith(session, StringComparison.Ordinal)));
        Assert.InRange(most, 2, 4);

        async ValueTask<Settlement> HandleAsync(Holdfast.Consumer.HeldMessage message, CancellationToken cancel)
        {
            Assert.True(running.TryAdd(message.Session!.Id, true));
            InterlockedMax(ref most, running.Count);
            await Task.Delay(20, cancel);
            handled.Enqueue(message.Id);
            running.TryRemove(message.Session.Id, out _);
            return Settlement.Complete;
        }
    }

    [Fact]
    public async Task The_one_session_that_is_named_is_taken_and_no_other()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true, sessionId: "b");
        await SendAsync(broker, "a", "not for us");
        await SendAsync(broker, "b", "for us");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        var delivery = await receiver.TakeAsync();

        Assert.Equal("for us", delivery.Message.Id);
        await receiver.CompleteAsync(delivery);
    }

    [Fact]
    public async Task A_session_keeps_its_state_for_the_next_holder()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        await using (var first = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default))
        {
            var delivery = await first.TakeAsync();
            Assert.Null(await delivery.Session!.GetStateAsync(default));
            await delivery.Session.SetStateAsync(Encoding.UTF8.GetBytes("half way"), default);
            await first.CompleteAsync(delivery);
        }

        await using var second = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var next = await second.TakeAsync();

        Assert.Equal("2", next.Message.Id);
        Assert.Equal("half way", Encoding.UTF8.GetString((await next.Session!.GetStateAsync(default))!.Value.Span));
        await next.Session.SetStateAsync(null, default);
        Assert.Null(await next.Session.GetStateAsync(default));
    }

    [Fact]
    public async Task A_session_without_messages_is_given_up_so_that_another_can_be_taken()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true, maxSessions: 1, idleSeconds: 1);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());

        await SendAsync(broker, "b", "2");
        var delivery = await receiver.TakeAsync();

        Assert.Equal("b", delivery.Session!.Id);
        await receiver.CompleteAsync(delivery);
    }

    [Fact]
    public async Task One_renewal_keeps_a_session_and_its_message_beyond_the_lock()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        for (var round = 0; round < 3; round++)
        {
            await server.Control.AdvanceAsync(TimeSpan.FromSeconds(6));
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(delivery));
        }

        await receiver.CompleteAsync(delivery);
        Assert.Equal(0, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Total);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_session_that_somebody_else_has_taken_is_lost_with_its_message(bool isTold)
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        await server.Control.StealSessionAsync(PrivateNamespace.Queue, "a", TimeSpan.FromSeconds(5), isTold);

        Assert.Contains(await receiver.RenewAsync(delivery), new[] { Renewal.Lost, Renewal.Severed });
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(10));
        var again = await receiver.TakeAsync();
        Assert.Equal("1", again.Message.Id);
        await receiver.CompleteAsync(again);
    }

    [Fact]
    public async Task A_message_that_is_let_go_takes_its_session_with_it_so_that_order_is_kept()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        receiver.LetGo(await receiver.TakeAsync());

        Assert.Equal("1", (await receiver.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task A_cut_connection_costs_the_sessions_and_they_are_taken_anew()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        await server.Control.CutAsync(CutLevel.Socket);

        await Eventually.SucceedsAsync("the broker to be there again", async () => Assert.Equal(Renewal.Lost, await receiver.RenewAsync(delivery)));
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        foreach (var id in new[] { "1", "2" })
        {
            var again = await receiver.TakeAsync();
            Assert.Equal(id, again.Message.Id);
            await receiver.CompleteAsync(again);
        }
    }

    [Fact]
    public async Task A_queue_with_sessions_that_is_opened_without_says_which_setting_cures_it()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewBroker();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Contains("Worker__ServiceBus__Sessions=true", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_without_sessions_that_is_opened_with_them_says_so_too()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker(sessions: true);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Contains("Worker__ServiceBus__Sessions", problem.Message, StringComparison.Ordinal);
    }

    private static async Task SendAsync(ServiceBusBroker broker, string session, params string[] ids)
    {
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        foreach (var id in ids)
            await sender.SendAsync(new Message { Id = id, SessionId = session }, TimeSpan.Zero, default);
    }

    private static void InterlockedMax(ref int most, int value)
    {
        for (var known = Volatile.Read(ref most); value > known; known = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, known);
    }
}
