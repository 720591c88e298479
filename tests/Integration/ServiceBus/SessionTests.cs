using System.Collections.Concurrent;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Queues with sessions through our client.</summary>
public sealed class SessionTests : SessionContract
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Several_sessions_are_handled_at_once_and_each_in_order()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true, maxSessions: 4, idleSeconds: 1);
        var names = Port.Names(6);
        foreach (var session in names)
            await SendAsync(broker, session, [.. Enumerable.Range(0, 5).Select(n => $"{session}-{n}")]);
        var handled = new ConcurrentQueue<string>();
        var (running, most, several) = (new ConcurrentDictionary<string, bool>(), 0, new TaskCompletionSource());

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, HandleAsync, options => options.MaxConcurrency = 8))
            await consuming.DoneAsync(30);

        foreach (var session in names)
            Assert.Equal(Enumerable.Range(0, 5).Select(n => $"{session}-{n}"), handled.Where(id => id.StartsWith(session, StringComparison.Ordinal)));
        Assert.InRange(most, 2, 4);

        async ValueTask<Settlement> HandleAsync(Holdfast.Consumer.HeldMessage message, CancellationToken cancel)
        {
            Assert.True(running.TryAdd(message.Session!.Id, true));
            InterlockedMax(ref most, running.Count);
            if (running.Count >= 2)
                several.TrySetResult();

            // The first one waits for company, however long the broker takes to hand out another session.
            await several.Task.WaitAsync(s_patience, cancel);
            await Task.Delay(20, cancel);
            handled.Enqueue(message.Id);
            running.TryRemove(message.Session.Id, out _);
            return Settlement.Complete;
        }
    }

    [Fact]
    public async Task Where_the_connection_has_no_room_for_another_session_those_that_are_held_go_on()
    {
        // Two for requests, and three to hold.
        await using var server = await PrivateNamespace.StartAsync(Settings, new ServiceBusServerOptions { ChannelMax = 4 });
        await using var broker = server.NewBroker(sessions: true, maxSessions: 100, idleSeconds: 1);
        await using var other = server.NewBroker();
        foreach (var session in Port.Names(6))
            await SendAsync(other, session, $"{session}-1", $"{session}-2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var room = new Delivery[20];

        for (var done = 0; done < 12;)
        {
            var count = await receiver.ReceiveAsync(room, default);
            foreach (var delivery in room.AsSpan(0, count).ToArray())
                Assert.True(await receiver.SettleAsync(delivery, Settlement.Complete, default));
            done += count;
        }
    }

    [Fact]
    public async Task A_session_is_lost_when_the_broker_tells_that_somebody_else_has_it()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();

        await server.Control.StealSessionAsync(PrivateNamespace.Queue, "a", TimeSpan.FromSeconds(5), tell: true);

        Assert.Equal(Renewal.Lost, await receiver.RenewAsync(delivery));
        Assert.Equal(Renewal.Lost, delivery.Fate);
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        await server.Control.AdvanceAsync(TimeSpan.FromSeconds(10));
        Assert.Equal("1", (await receiver.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task A_session_is_trusted_for_no_longer_once_the_broker_s_clock_was_set_ahead()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var delivery = await receiver.TakeAsync();
        var before = delivery.LockDuration;

        await server.Control.AdvanceAsync(before * 0.6);

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(delivery));
        Assert.Equal(before, delivery.LockDuration);
    }

    [Fact]
    public async Task A_broker_that_says_at_once_that_no_session_is_free_is_not_asked_in_a_loop()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await server.Control.FaultAsync(new Fault("attach", FaultEffect.Fail) { Entity = PrivateNamespace.Queue, Condition = "com.microsoft:timeout" });
        await server.Control.ClearStatsAsync();

        var taking = receiver.TakeAsync();
        await Eventually.HoldsAsync("it to be asked again", async () => (await server.Control.StatsAsync()).Of("attach") >= 3);
        await Task.Delay(TimeSpan.FromSeconds(2));

        Assert.InRange((await server.Control.StatsAsync()).Of("attach"), 3, 8);
        await server.Control.ClearFaultsAsync();
        await SendAsync(broker, "a", "1");
        await receiver.CompleteAsync(await taking);
    }

    [Fact]
    public async Task Sessions_that_are_taken_back_as_soon_as_they_are_given_are_not_asked_for_in_a_loop()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings with { LockDuration = TimeSpan.FromMilliseconds(1) });
        var time = Now();
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = server.Server.ConnectionString(), Sessions = true, SessionId = "a", TimeProvider = time });
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var before = (await server.Control.StatsAsync()).Of("attach");

        using var enough = new CancellationTokenSource();
        var taking = receiver.ReceiveAsync(new Delivery[1], enough.Token).AsTask();
        await Eventually.HoldsAsync("a session to be given and taken back", async () => (await server.Control.StatsAsync()).ExpiredLocks > 0);

        // In a loop it would be asked for again meanwhile.
        for (var n = 0; n < 50; n++)
            await sender.SendAsync(new Message { Id = $"{n}", SessionId = "b" }, TimeSpan.Zero, default);
        Assert.Equal(before + 1, (await server.Control.StatsAsync()).Of("attach"));

        time.Advance(TimeSpan.FromSeconds(1));
        await Eventually.HoldsAsync("it to be asked for again", async () => (await server.Control.StatsAsync()).Of("attach") > before + 1);
        await enough.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => taking);
    }

    [Fact]
    public async Task A_cut_connection_costs_the_sessions_and_they_are_taken_anew()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var (delivery, epoch) = (await receiver.TakeAsync(), receiver.Epoch);
        Assert.Null(delivery.Fate);

        await server.Control.CutAsync(CutLevel.Socket);

        await Eventually.SucceedsAsync("the broker to be there again", async () => Assert.Equal(Renewal.Severed, await receiver.RenewAsync(delivery)));
        Assert.Equal(Renewal.Severed, delivery.Fate);
        Assert.NotEqual(epoch, receiver.Epoch);
        Assert.False(await receiver.SettleAsync(delivery, Settlement.Complete, default));
        foreach (var id in new[] { "1", "2" })
        {
            var again = await receiver.TakeAsync();
            Assert.Equal(id, again.Message.Id);
            await receiver.CompleteAsync(again);
        }
    }

    [Fact]
    public async Task What_completes_as_its_session_is_cut_off_is_not_handled_again_although_it_is_not_counted()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await SendAsync(broker, "a", "1", "2");
        var counts = new ConcurrentQueue<(string Id, int Count)>();

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, HandleAsync))
            await consuming.DoneAsync(2);

        Assert.Equal([("1", 1), ("2", 1)], counts);
        Assert.Equal(0, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Total);

        async ValueTask<Settlement> HandleAsync(Holdfast.Consumer.HeldMessage message, CancellationToken cancel)
        {
            counts.Enqueue((message.Id, message.DeliveryCount));
            if (counts.Count == 1)
                await server.Control.CutAsync(CutLevel.Socket);
            return Settlement.Complete;
        }
    }

    [Fact]
    public async Task What_came_when_nobody_received_any_more_goes_back_uncounted_and_in_its_order()
    {
        await using var server = await PrivateNamespace.StartAsync(Long);
        var time = Now();
        await using var paused = server.NewBroker(sessions: true, idleSeconds: 600, time: time);
        await using var healthy = server.NewBroker(sessions: true);
        await SendAsync(healthy, "a", "a1");
        await SendAsync(healthy, "b", "b1");
        await using var receiver = await paused.OpenReceiverAsync(PrivateNamespace.Queue, default);
        Delivery[] both = [await receiver.TakeAsync(), await receiver.TakeAsync()];
        var last = receiver.TakeAsync();
        foreach (var delivery in both)
            await receiver.CompleteAsync(delivery);
        await SendAsync(healthy, "a", "a2");
        Assert.Equal("a2", (await last).Message.Id);
        await SendAsync(healthy, "b", "b2", "b3");
        await Eventually.HoldsAsync("one more to have come", async () => (await server.Control.CountsAsync(PrivateNamespace.Queue)).Locked == 2);
        await using var other = await healthy.OpenReceiverAsync(PrivateNamespace.Queue, default);

        time.Advance(TimeSpan.FromSeconds(6));

        foreach (var id in new[] { "b2", "b3" })
        {
            var next = await other.TakeAsync();
            Assert.Equal((id, 1), (next.Message.Id, next.DeliveryCount));
            await other.CompleteAsync(next);
        }

        await receiver.CompleteAsync(await last);
    }

    [Theory]
    [InlineData(true, null)]
    [InlineData(true, "north")]
    [InlineData(false, null)]
    [InlineData(false, "north")]
    public async Task Whether_a_queue_requires_sessions_is_found_out(bool isRequired, string? sessionId)
    {
        await using var server = await PrivateNamespace.StartAsync(Settings with { RequiresSession = isRequired });
        await using var broker = server.NewBroker(sessionId: sessionId);
        await SendAsync(broker, "north", "1", "2");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        var delivery = await receiver.TakeAsync();

        Assert.Equal(isRequired ? "north" : null, delivery.Session?.Id);
        await receiver.CompleteAsync(delivery);
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_queue_that_is_made_anew_the_other_way_ends_the_worker_for_a_start_finds_that_out(bool isRequired)
    {
        await using var server = await PrivateNamespace.StartAsync(Settings with { RequiresSession = isRequired });
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await SendAsync(broker, "north", "1");
        await receiver.CompleteAsync(await receiver.TakeAsync());

        await server.Control.DeleteQueueAsync(PrivateNamespace.Queue);
        await server.Control.PutQueueAsync(PrivateNamespace.Queue, Settings with { RequiresSession = !isRequired });

        BrokerException? refused = null;
        await Eventually.HoldsAsync("it to be refused", async () =>
        {
            refused = await Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());
            return !refused.IsTransient;
        });
        Assert.Contains("each start finds out", refused!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_copy_of_what_was_to_wait_and_was_lost_with_its_session_is_called_off_even_at_the_second_try()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: true);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await SendAsync(broker, "north", "1");
        var held = await receiver.TakeAsync();
        await server.Control.AdvanceAsync(held.LockDuration);
        await server.Control.FaultAsync(new Fault("cancel-scheduled-message", FaultEffect.ServerBusy) { Times = 1 });
        var delay = Settlement.Delay(TimeSpan.FromHours(1));

        var refused = await Assert.ThrowsAsync<BrokerException>(async () => await receiver.SettleAsync(held, delay, default));
        Assert.True(refused.IsTransient);
        Assert.Equal(1, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Scheduled);

        Assert.False(await receiver.SettleAsync(held, delay, default));
        Assert.Equal(0, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Scheduled);
    }

    [Fact]
    public async Task Who_sends_no_session_where_one_is_required_is_told_so()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);

        var refused = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync(new Message { Id = "1" }, TimeSpan.Zero, default).AsTask());

        Assert.Contains("Set the message's SessionId, with send by --session.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Dead_letters_lie_in_no_session_wherever_they_came_from()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker();
        await SendAsync(broker, "north", "1");
        await using (var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default))
            Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.DeadLetter("No", "It is no good."), default));

        await using var dead = await broker.OpenReceiverAsync($"{PrivateNamespace.Queue}/$DeadLetterQueue", default);

        Assert.Equal("1", (await dead.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task A_queue_with_sessions_that_is_opened_without_says_which_setting_cures_it()
    {
        await using var server = await PrivateNamespace.StartAsync(Settings);
        await using var broker = server.NewBroker(sessions: false);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Contains("Leave Worker__ServiceBus__Sessions", problem.Message, StringComparison.Ordinal);
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

    private protected override IBroker NewBroker(PrivateNamespace server, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5, TimeProvider? time = null) =>
        server.NewBroker(sessions: true, sessionId, maxSessions, idleSeconds, time: time);

    private static void InterlockedMax(ref int most, int value)
    {
        for (var known = Volatile.Read(ref most); value > known; known = Volatile.Read(ref most))
            Interlocked.CompareExchange(ref most, value, known);
    }
}
