using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>What Service Bus does not let anybody do, and what it ends by itself: none of it costs a lease or a message.</summary>
public sealed class LimitsTests
{
    private const string Queue = PrivateNamespace.Queue;

    [Fact]
    public async Task Locks_of_an_entity_of_many_partitions_are_renewed_and_its_messages_looked_at_settled_and_replayed()
    {
        const int Count = 100;
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), Partitions = 16 });
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await broker.SendAsync(Queue, [.. Enumerable.Range(0, Count).Select(n => $"{n}")]);
        var held = new Delivery[Count];
        for (var had = 0; had < Count;)
            had += await receiver.ReceiveAsync(held.AsMemory(had), default);

        var outcomes = new Renewal[Count];
        await receiver.RenewAsync(held, outcomes, default);

        Assert.All(outcomes, outcome => Assert.Equal(Renewal.Renewed, outcome));
        Assert.InRange((await server.Control.StatsAsync()).Of("renew-lock"), 2, 16);
        Assert.All(await Task.WhenAll(held.Select(delivery => receiver.SettleAsync(delivery, Settlement.DeadLetter("Bad", "Too bad."), default).AsTask())), Assert.True);

        await using var desk = new ServiceBusDesk(new ServiceBusBrokerOptions { ConnectionString = server.Server.ConnectionString() });
        await using var sweep = await desk.SweepAsync(desk.DeadLettersOf(Queue), Queue, message => message.Id, rate: null, most: null, default);
        Assert.Equal(Count, sweep.Count);
        while (await sweep.NextAsync(default) is { } letter)
        {
            Assert.NotNull(letter.PutAsideAt);
            await sweep.TakeAsync(letter, default);
        }

        await sweep.CommitAsync(default);
        Assert.Equal((Count, 0), await CountAsync(server));
    }

    [Fact]
    public async Task A_session_that_is_renewed_outlives_the_time_after_which_a_quiet_link_is_ended()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromMinutes(5), RequiresSession = true, LinkIdleTimeout = TimeSpan.FromMinutes(10) });
        await using var broker = server.NewBroker(sessions: true);
        await using var sender = await broker.OpenSenderAsync(Queue, default);
        await sender.SendAsync(new Message { Id = "1", SessionId = "a" }, TimeSpan.Zero, default);
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        var delivery = await receiver.TakeAsync();

        for (var passed = 0; passed < 24; passed += 4)
        {
            await server.Control.AdvanceAsync(TimeSpan.FromMinutes(4));
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(delivery));
        }

        Assert.True(await receiver.SettleAsync(delivery, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_quiet_link_that_is_ended_is_opened_anew_and_who_waits_for_messages_does_not_hear_of_it()
    {
        await using var server = await PrivateNamespace.StartAsync();
        var time = new VirtualTime();
        time.Advance(DateTimeOffset.UtcNow - time.GetUtcNow());
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = server.Server.ConnectionString(), TimeProvider = time });
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        var taking = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        // In steps, with a sign of life after each, for the connection is not to be taken for dead.
        for (var passed = 0; passed < 80; passed += 20)
        {
            time.Advance(TimeSpan.FromSeconds(20));
            await broker.Node(Queue).PeekAsync(0, 1, default);
        }

        Assert.NotEqual(0, await server.Control.CutAsync(CutLevel.Link, Queue, "amqp:link:detach-forced"));
        await using var other = server.NewBroker();
        await other.SendAsync(Queue, "1");

        Assert.Equal(1, await taking.WaitAsync(TimeSpan.FromSeconds(30)));
    }

    [Theory]
    [InlineData(1024 * 1024)]
    [InlineData(300 * 1024)]
    public async Task What_is_sent_at_once_arrives_though_together_it_is_more_than_a_batch_may_have(int mostBytes)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { MaxMessageBytes = 8 * 1024 * 1024, MaxBatchBytes = mostBytes });
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(Queue, default);

        await Task.WhenAll(Enumerable.Range(0, 30).Select(n => sender.SendAsync(new Message { Id = $"{n}", Body = new byte[200 * 1024] }, TimeSpan.Zero, default).AsTask()));

        Assert.Equal((30, 0), await CountAsync(server));
    }

    [Theory]
    [InlineData(3_000, 1, 0)]
    [InlineData(4_000, 0, 1)]
    public async Task A_message_that_is_too_large_to_wait_with_its_story_waits_without_or_is_given_back(int size, int scheduled, int active)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), MaxMessageBytes = 4_096 });
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(Queue, default);
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await sender.SendAsync(new Message { Id = "1", Body = new byte[size] }, TimeSpan.Zero, default);
        var story = new Dictionary<string, object?> { ["story"] = new string('x', 2_000) };

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromHours(1)).With(story), default));

        var counts = await server.Control.CountsAsync(Queue);
        Assert.Equal((scheduled, active), (counts.Scheduled, counts.Active));
    }

    [Fact]
    public async Task One_that_the_broker_would_not_even_answer_for_is_given_back_too()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), MaxMessageBytes = 4 * 1024 * 1024 });
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await using (var sender = await broker.OpenSenderAsync(Queue, default))
            await sender.SendAsync(new Message { Id = "1", Body = new byte[1024 * 1024] }, TimeSpan.Zero, default);
        await server.Control.FaultAsync(new Fault("schedule-message", FaultEffect.Silent));

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromHours(1)), default));

        Assert.Equal(1, (await server.Control.CountsAsync(Queue)).Active);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task In_a_full_queue_a_failed_message_can_t_wait_and_is_given_back_at_once_and_counted(bool requiresSession)
    {
        await using var server = await PrivateNamespace.StartAsync(Limits.Narrow(requiresSession));
        await using var broker = server.NewBroker(sessions: requiresSession);

        await Limits.GiveBackWhatCanNotWaitAsync(broker, requiresSession);
    }

    [Fact]
    public async Task Who_may_not_send_gives_a_failed_message_back_until_it_has_come_too_often()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), RequiresSession = true });
        await server.Control.FaultAsync(new Fault("schedule-message", FaultEffect.Fail) { Condition = "amqp:unauthorized-access", Status = 401 });
        await using var broker = server.NewBroker(sessions: true);
        await using (var sender = await broker.OpenSenderAsync(Queue, default))
            await sender.SendAsync(new Message { Id = "1", SessionId = "a" }, TimeSpan.Zero, default);
        var runs = 0;

        await using (await Consuming.StartAsync(broker, Queue, (_, _) => throw new TimeoutException($"{++runs}"), options => options.Retry.MaxDeliveries = 3))
            await Eventually.HoldsAsync("it to be put aside", async () => (await server.Control.CountsAsync(Queue)).DeadLettered == 1);

        Assert.InRange(runs, 3, 3 * 4);
    }

    [Fact]
    public async Task A_dead_letter_is_handled_however_often_it_came_before()
    {
        await using var server = await PrivateNamespace.StartAsync(Limits.Burying);
        await using var broker = server.NewBroker();
        await Limits.BuryAsync(broker);

        await using (await Consuming.StartAsync(broker, $"{Queue}/$DeadLetterQueue", (_, _) => new(Settlement.Complete)))
            await Eventually.HoldsAsync("it to be handled", async () => (await server.Control.CountsAsync($"{Queue}/$DeadLetterQueue")).Total == 0);
    }

    [Fact]
    public async Task What_is_put_aside_may_have_properties_of_any_name()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await broker.SendAsync(Queue, "1");
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.DeadLetter("odd", "It is odd.").With(new Dictionary<string, object?> { ["größe"] = 7 }), default));

        await using var dead = await broker.OpenReceiverAsync($"{Queue}/$DeadLetterQueue", default);
        Assert.Equal(7, (await dead.TakeAsync()).Message.Properties["größe"]);
    }

    [Fact]
    public async Task A_link_that_is_ended_for_good_under_a_settlement_leaves_it_to_the_lock_s_token()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await broker.SendAsync(Queue, "1");
        var delivery = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.Silent));
        var settling = receiver.SettleAsync(delivery, Settlement.Complete, default).AsTask();

        await server.Control.CutAsync(CutLevel.Link, Queue, "amqp:unauthorized-access");

        Assert.True((await Assert.ThrowsAsync<BrokerException>(() => settling)).IsTransient);
        await server.Control.ClearFaultsAsync();
        Assert.True(await receiver.SettleAsync(delivery, Settlement.Complete, default));
    }

    [Fact]
    public async Task What_a_stop_gives_back_before_its_handler_has_begun_counts_as_no_delivery()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), MaxDeliveryCount = 1 });
        await using var broker = server.NewBroker();
        await using (var sender = await broker.OpenSenderAsync(Queue, default))
        {
            foreach (var id in (string[])["begun", "waiting"])
                await sender.SendAsync(new Message { Id = id, Properties = new Dictionary<string, object?> { ["key"] = "a" } }, TimeSpan.Zero, default);
        }

        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var consuming = await Consuming.StartAsync(
            broker,
            Queue,
            async (_, cancel) =>
            {
                await release.Task.WaitAsync(cancel);
                return Settlement.Complete;
            },
            options => options.OrderBy = "key");
        await Eventually.HoldsAsync("both to be held", () => consuming.Queue.LeasesHeld == 2);

        var stopping = consuming.DisposeAsync().AsTask();
        await Eventually.HoldsAsync("the one that waits to be given back", () => consuming.Queue.LeasesHeld == 1);
        release.SetResult();
        await stopping;

        Assert.Equal((1, 0), await CountAsync(server));
        await using var next = server.NewBroker();
        await using var receiver = await next.OpenReceiverAsync(Queue, default);
        Assert.Equal(1, (await receiver.TakeAsync()).DeliveryCount);
    }

    private static async Task<(int Active, int DeadLettered)> CountAsync(PrivateNamespace server)
    {
        var counts = await server.Control.CountsAsync(Queue);
        return (counts.Active, counts.DeadLettered);
    }
}
