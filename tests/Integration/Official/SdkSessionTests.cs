using System.Text;
using Holdfast.Broker.ServiceBusSdk;
using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Queues with sessions through Microsoft's client: each session's messages one at a time, in order, under one lock.</summary>
public sealed class SdkSessionTests
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(10);
    private static readonly QueueSettings s_settings = new() { RequiresSession = true, LockDuration = s_lock };

    [Fact]
    public async Task The_messages_of_each_session_come_one_at_a_time_in_order()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2", "3");
        await SendAsync(broker, "b", "1", "2", "3");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        var handled = new List<(string Session, string Id)>();
        var held = new Dictionary<string, Delivery>();
        var room = new Delivery[8];
        while (handled.Count < 6)
        {
            var count = await receiver.ReceiveAsync(room, default);
            foreach (var delivery in room[..count])
                Assert.True(held.TryAdd(delivery.Session!.Id, delivery));
            var (session, next) = held.First();
            held.Remove(session);
            handled.Add((session, next.Message.Id));
            await receiver.CompleteAsync(next);
        }

        foreach (var session in new[] { "a", "b" })
            Assert.Equal(["1", "2", "3"], handled.Where(one => one.Session == session).Select(one => one.Id));
    }

    [Fact]
    public async Task The_one_session_that_is_named_is_taken_and_no_other()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true, sessionId: "b");
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
        await using var broker = server.NewSdkBroker(sessions: true);
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
    public async Task A_sessions_lock_is_renewed_and_outlives_its_first_one()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        for (var round = 0; round < 3; round++)
        {
            await server.Control.AdvanceAsync(s_lock * 0.6);
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(delivery));
        }

        await receiver.CompleteAsync(delivery);
    }

    [Fact]
    public async Task A_session_that_somebody_else_has_taken_is_lost_with_its_message()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        await server.Control.StealSessionAsync(PrivateNamespace.Queue, "a", TimeSpan.FromSeconds(5), tell: false);

        Assert.Equal(Renewal.Lost, await receiver.RenewAsync(delivery));
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(10));
        Assert.Equal("1", (await receiver.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task A_session_without_messages_is_given_up_so_that_another_can_be_taken()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true, idleSeconds: 1);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());

        await SendAsync(broker, "b", "2");
        var delivery = await receiver.TakeAsync();

        Assert.Equal("b", delivery.Session!.Id);
        await receiver.CompleteAsync(delivery);
    }

    [Fact]
    public async Task A_message_that_is_let_go_takes_its_session_with_it_so_that_order_is_kept()
    {
        await using var server = await PrivateNamespace.StartAsync(s_settings);
        await using var broker = server.NewSdkBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        receiver.LetGo(await receiver.TakeAsync());

        Assert.Equal("1", (await receiver.TakeAsync()).Message.Id);
    }

    private static async Task SendAsync(ServiceBusSdkBroker broker, string session, params string[] ids)
    {
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        foreach (var id in ids)
            await sender.SendAsync(new Message { Id = id, SessionId = session }, TimeSpan.Zero, default);
    }
}
