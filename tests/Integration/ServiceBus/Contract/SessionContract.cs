using System.Text;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>What any client of Service Bus does with sessions: each session's messages one at a time, in order, under one lock.</summary>
public abstract class SessionContract
{
    private protected static readonly QueueSettings Settings = new() { RequiresSession = true, LockDuration = TimeSpan.FromSeconds(10) };

    // For worlds whose time is moved by hand: nothing is renewed meanwhile, and no lock ends before a test has lost its patience.
    private protected static readonly QueueSettings Long = Settings with { LockDuration = TimeSpan.FromMinutes(5) };

    [Fact]
    public async Task The_messages_of_a_session_come_one_at_a_time_in_order()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
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
    public async Task Of_several_sessions_one_message_each_is_held_at_once()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
        await SendAsync(broker, "a", "a1", "a2");
        await SendAsync(broker, "b", "b1", "b2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        Delivery[] held = [await receiver.TakeAsync(), await receiver.TakeAsync()];

        Assert.Equal([("a", "a1"), ("b", "b1")], held.Select(delivery => (delivery.Session!.Id, delivery.Message.Id)).Order());
    }

    [Fact]
    public async Task The_one_session_that_is_named_is_taken_and_no_other()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server, sessionId: "b");
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
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
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
    }

    [Fact]
    public async Task Who_takes_a_session_anew_has_a_larger_fencing_token_for_what_was_not_settled()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
        await SendAsync(broker, "a", "1");
        long earlier;
        await using (var first = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default))
            earlier = (await first.TakeAsync()).FencingToken;

        await using var second = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var later = await second.TakeAsync();

        // It is not counted: the number of the delivery alone would be the same.
        Assert.Equal(1, later.DeliveryCount);
        Assert.True(earlier < later.FencingToken);
        await second.CompleteAsync(later);
    }

    [Fact]
    public async Task A_sessions_state_can_be_taken_back()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var session = (await receiver.TakeAsync()).Session!;
        await session.SetStateAsync(Encoding.UTF8.GetBytes("half way"), default);

        await session.SetStateAsync(null, default);

        Assert.Null(await session.GetStateAsync(default));
    }

    [Fact]
    public async Task A_session_without_messages_is_given_up_so_that_another_can_be_taken()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server, maxSessions: 1, idleSeconds: 1);
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
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
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

    [Fact]
    public async Task A_session_that_somebody_else_has_taken_is_lost_with_its_message()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        await server.Control.StealSessionAsync(PrivateNamespace.Queue, "a", TimeSpan.FromSeconds(5), tell: false);

        Assert.Equal(Renewal.Lost, await receiver.RenewAsync(delivery));
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(10));
        var again = await receiver.TakeAsync();
        Assert.Equal("1", again.Message.Id);
        await receiver.CompleteAsync(again);
    }

    [Fact]
    public async Task A_message_that_is_let_go_takes_its_session_with_it_so_that_order_is_kept()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = NewBroker(server);
        await SendAsync(broker, "a", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        receiver.LetGo(await receiver.TakeAsync());

        Assert.Equal("1", (await receiver.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task The_sessions_of_a_worker_that_receives_nothing_go_on_elsewhere()
    {
        await using var server = await PrivateNamespace.StartAsync(Long);
        var time = Now();
        await using var paused = NewBroker(server, idleSeconds: 600, time: time);
        await using var healthy = NewBroker(server);
        await SendAsync(healthy, "a", "1", "2");
        await using var receiver = await paused.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await using var other = await healthy.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());

        time.Advance(TimeSpan.FromSeconds(6));

        var next = await other.TakeAsync();
        Assert.Equal(("2", 1), (next.Message.Id, next.DeliveryCount));
        await other.CompleteAsync(next);
    }

    [Fact]
    public async Task Once_receiving_is_called_off_each_session_is_free_as_soon_as_nothing_of_it_is_in_hand()
    {
        await using var server = await PrivateNamespace.StartAsync(Long);
        await using var broker = NewBroker(server, idleSeconds: 600, time: Now());
        await SendAsync(broker, "a", "a1", "a2");
        await SendAsync(broker, "b", "b1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        Delivery[] both = [await receiver.TakeAsync(), await receiver.TakeAsync()];
        await receiver.CompleteAsync(both.Single(delivery => delivery.Message.Id == "b1"));

        using (var cancel = new CancellationTokenSource())
        {
            var waiting = receiver.ReceiveAsync(new Delivery[1], cancel.Token).AsTask();
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        }

        await Eventually.HoldsAsync("the one with nothing in hand to be free", async () => await LockedAsync() is ["a"]);
        await receiver.CompleteAsync(both.Single(delivery => delivery.Message.Id == "a1"));
        await Eventually.HoldsAsync("the other one to be free", async () => await LockedAsync() is []);
        var counts = await server.Control.CountsAsync(PrivateNamespace.Queue);
        Assert.Equal((1, 0), (counts.Active, counts.Locked));

        async Task<string[]> LockedAsync() => [.. (await server.Control.SessionsAsync(PrivateNamespace.Queue)).Where(session => session.Locked).Select(session => session.Id)];
    }

    [Fact]
    public async Task A_session_that_had_its_turn_makes_room_for_one_that_waits()
    {
        await using var server = await PrivateNamespace.StartAsync(Long);
        var time = Now();
        await using var broker = NewBroker(server, maxSessions: 1, time: time);
        await SendAsync(broker, "a", "a1");
        await SendAsync(broker, "b", "b1");
        await SendAsync(broker, "a", "a2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        List<string> order = [];

        for (var n = 0; n < 3; n++)
        {
            var delivery = await receiver.TakeAsync();
            order.Add(delivery.Message.Id);
            time.Advance(SessionPlan.Turn);
            await receiver.CompleteAsync(delivery);
        }

        Assert.Equal(["a1", "b1", "a2"], order);
    }

    private protected abstract IBroker NewBroker(PrivateNamespace server, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5, TimeProvider? time = null);

    private protected static VirtualTime Now()
    {
        var time = new VirtualTime();
        time.Advance(DateTimeOffset.UtcNow - time.GetUtcNow());
        return time;
    }

    private protected static async Task SendAsync(IBroker broker, string session, params string[] ids)
    {
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        foreach (var id in ids)
            await sender.SendAsync(new Message { Id = id, SessionId = session }, TimeSpan.Zero, default);
    }
}
