using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Links, sessions, connections and sockets that end in the midst of work.</summary>
public sealed class CutTests
{
    [Theory]
    [InlineData(CutLevel.Link)]
    [InlineData(CutLevel.Session)]
    [InlineData(CutLevel.Connection)]
    [InlineData(CutLevel.Socket)]
    public async Task Whatever_is_cut_every_message_is_handled_exactly_once(CutLevel level)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        var sent = Port.Names(200);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 0.05);

        foreach (var count in new[] { 30, 80, 130 })
        {
            await consuming.HandledAsync(count);
            await trial.Control.CutAsync(level);
        }

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        Assert.Equal(0, consuming.Repeats);

        // What a socket loses may be the broker's answer to a settlement: then it is not known who ended the lock.
        if (level != CutLevel.Socket)
            Assert.Equal(0, consuming.Queue.Misses);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task Of_a_message_that_had_not_left_in_full_it_is_known_that_it_was_not_sent_and_of_one_that_had_it_is_not()
    {
        const int Size = 16 * 1024 * 1024;
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { MaxMessageBytes = 2 * Size });
        await using var proxy = new TcpProxy("127.0.0.1", server.Server.Port);
        await using var broker = server.NewBroker(port: proxy.Port);
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        await server.Control.FaultAsync(new Fault("send", FaultEffect.LostReply) { Times = 1 });

        var whole = sender.SendAsync(new Message { Id = "whole" }, TimeSpan.Zero, default).AsTask();
        await Eventually.HoldsAsync("the whole message to be there", async () => (await server.Control.StatsAsync()).Of("send") > 0);
        proxy.Cut();
        Assert.False((await Assert.ThrowsAsync<BrokerException>(() => whole)).IsUnsent);

        await sender.SendAsync(new Message { Id = "first" }, TimeSpan.Zero, default);
        proxy.Stall(Traffic.ToServer);
        var part = sender.SendAsync(new Message { Id = "part", Body = new byte[Size] }, TimeSpan.Zero, default).AsTask();
        Assert.NotSame(part, await Task.WhenAny(part, Task.Delay(TimeSpan.FromSeconds(1))));
        proxy.Cut();
        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => part)).IsUnsent);
    }

    [Fact]
    public async Task A_message_that_is_held_while_the_connection_breaks_is_renewed_and_settled_by_its_lock()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Broker.SendAsync(Trial.Queue, "a");
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var held = await receiver.TakeAsync();

        await trial.Control.CutAsync(CutLevel.Socket);

        await Eventually.SucceedsAsync("the lease to be renewed", async () => Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held)));
        await receiver.CompleteAsync(held);
        await trial.NothingIsLeftAsync();
    }

    [Theory]
    [InlineData(CutLevel.Link)]
    [InlineData(CutLevel.Socket)]
    public async Task A_receiver_that_nobody_asks_for_messages_is_connected_again_once_what_it_holds_is_renewed(CutLevel level)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Broker.SendAsync(Trial.Queue, "a");
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var held = await receiver.TakeAsync();

        await trial.Control.CutAsync(level);
        await Eventually.SucceedsAsync("the lease to be renewed", async () => Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held)));

        Assert.True(receiver.IsConnected);
        await trial.Control.GoAwayAsync();
        await Eventually.HoldsAsync("the absence to be noticed", () => !receiver.IsConnected);
    }

    [Theory]
    [InlineData("amqp:not-found")]
    [InlineData("amqp:unauthorized-access")]
    [InlineData("amqp:not-allowed")]
    public async Task Whatever_a_link_that_was_open_ends_with_is_not_for_good(string condition)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var waiting = receiver.ReceiveAsync(new Delivery[1], default);

        await trial.Control.CutAsync(CutLevel.Link, Trial.Queue, condition);

        Assert.True((await Assert.ThrowsAsync<BrokerException>(async () => await waiting)).IsTransient);
        await trial.Broker.SendAsync(Trial.Queue, "a");
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Fact]
    public async Task A_link_that_is_detached_leaves_no_session_behind_for_a_connection_has_only_so_many()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        for (var i = 0; i < 10; i++)
        {
            var waiting = receiver.ReceiveAsync(new Delivery[1], default);
            await trial.Control.CutAsync(CutLevel.Link);
            await Assert.ThrowsAsync<BrokerException>(async () => await waiting);
            await Eventually.SucceedsAsync("a message to be sent", () => trial.Broker.SendAsync(Trial.Queue, $"{i}"));
            var taken = await receiver.TakeAsync();
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(taken));
            await receiver.CompleteAsync(taken);
        }

        // To receive, to send, to renew, and to show tokens.
        Assert.Equal(1, (await trial.Control.StatsAsync()).OpenConnections);
        Assert.InRange((await trial.Control.StatsAsync()).OpenSessions, 1, 4);
    }

    [Fact]
    public async Task Nor_does_a_sender_s_whose_queue_was_deleted_before_it_was_closed()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        foreach (var answers in Port.Names(10))
        {
            await trial.Control.PutQueueAsync(answers);
            var sender = await trial.Broker.OpenSenderAsync(answers, default);
            await trial.Control.DeleteQueueAsync(answers);
            await sender.DisposeAsync();
        }

        // To show tokens; and one may just be leaving.
        await Eventually.HoldsAsync("all sessions but one to be left", async () => (await trial.Control.StatsAsync()).OpenSessions <= 1);
    }

    [Fact]
    public async Task Nor_does_a_sender_s_that_was_called_off_while_it_was_opened()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Control.FaultAsync(new Fault("attach", FaultEffect.Delay) { Entity = Trial.Queue, Milliseconds = 1_000 });
        using var calledOff = new CancellationTokenSource();
        var opening = trial.Broker.OpenSenderAsync(Trial.Queue, calledOff.Token).AsTask();
        await Eventually.HoldsAsync("its session to begin", async () => (await trial.Control.StatsAsync()).OpenSessions == 2);

        await calledOff.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        await Eventually.HoldsAsync("all sessions but one to be left", async () => (await trial.Control.StatsAsync()).OpenSessions == 1);
    }

    [Fact]
    public async Task What_was_prefetched_but_not_handed_over_is_not_lost_with_its_link()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 2);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        using var calledOff = new CancellationTokenSource();
        var waiting = receiver.ReceiveAsync(new Delivery[10], calledOff.Token);
        await trial.Control.CutAsync(CutLevel.Link, Trial.Queue);
        await Assert.ThrowsAsync<BrokerException>(async () => await waiting);

        await trial.Broker.SendAsync(Trial.Queue, "a");

        await receiver.CompleteAsync(await receiver.TakeAsync());
        await trial.NothingIsLeftAsync();
    }
}
