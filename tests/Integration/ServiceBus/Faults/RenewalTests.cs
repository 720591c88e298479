using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Renewals that do not go as they should, and what becomes of the leases.</summary>
public sealed class RenewalTests
{
    [Fact]
    public async Task Slow_renewals_keep_every_lease()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Delay) { Milliseconds = 1000 });
        await KeepsAllAsync(trial);
    }

    [Fact]
    public async Task A_renewal_that_is_refused_by_a_busy_broker_is_tried_again_while_there_is_trust()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.ServerBusy) { Times = 2 });
        await KeepsAllAsync(trial);
    }

    [Fact]
    public async Task A_renewal_whose_answer_is_lost_is_tried_again_while_there_is_trust()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6, patience: 1);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.LostReply) { Times = 1 });
        await KeepsAllAsync(trial);
    }

    [Fact]
    public async Task A_renewal_that_is_answered_with_nonsense_is_tried_again_while_there_is_trust()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Nonsense) { Times = 1 });
        await KeepsAllAsync(trial);
    }

    [Fact]
    public async Task A_renewal_during_which_the_connection_breaks_is_made_on_the_next_one()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Cut) { Times = 1 });
        await KeepsAllAsync(trial);
    }

    [Fact]
    public async Task Renewals_that_are_never_answered_cannot_hide_that_the_leases_end()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 2);
        await trial.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Silent));
        var sent = Port.Names(5);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 4);

        await Eventually.HoldsAsync("each lease to be missed", () => consuming.Queue.Misses >= sent.Length);
        await trial.Control.ClearFaultsAsync();
        await trial.Control.CutAsync(CutLevel.Socket);

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_node_that_answers_no_more_is_given_up_and_so_is_a_connection_whose_nodes_never_answer()
    {
        await using var space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromMinutes(5) });
        await using var proxy = new TcpProxy("127.0.0.1", space.Server.Port);
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = space.Server.ConnectionString(port: proxy.Port), OperationTimeout = TimeSpan.FromSeconds(5) });
        await using var sender = await broker.OpenSenderAsync(Trial.Queue, default);
        await sender.SendAsync("a");
        await using var receiver = await broker.OpenReceiverAsync(Trial.Queue, default);
        var held = await receiver.TakeAsync();
        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        var attached = (await space.Control.StatsAsync()).Of("attach");
        await space.Control.FaultAsync(new Fault("renew-lock", FaultEffect.Silent));

        // Each of two links is given two requests to answer; something else is answered meanwhile, so that the connection is known to live.
        for (var time = 0; time < 4; time++)
        {
            Assert.Equal(1, proxy.Accepted);

            // There and back; counted before the last request, for what comes after it attaches to the next connection.
            if (time == 3)
                Assert.Equal(2, (await space.Control.StatsAsync()).Of("attach") - attached);
            var renewing = receiver.RenewAsync(held);
            do
                await SendAsync($"{time}", isLast: time == 3);
            while (await Task.WhenAny(renewing, Task.Delay(50)) != renewing);
            await Assert.ThrowsAsync<BrokerException>(() => renewing);
        }

        await space.Control.ClearFaultsAsync();
        await Eventually.SucceedsAsync("the lease to be renewed", async () => Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held)));
        Assert.Equal(2, proxy.Accepted);

        // What is on its way when the connection is given up ends with it.
        async Task SendAsync(string id, bool isLast)
        {
            try
            {
                await sender.SendAsync(id);
            }
            catch (BrokerException) when (isLast)
            {
            }
        }
    }

    [Fact]
    public async Task Of_many_leases_the_one_that_is_lost_costs_its_neighbours_nothing()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        var sent = Port.Names(20);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var first = await receiver.TakeAsync();
        await trial.Control.AdvanceAsync(TimeSpan.FromSeconds(15));
        var held = new Delivery[20];
        held[7] = first;
        for (var i = 0; i < held.Length; i++)
            held[i] ??= await receiver.TakeAsync();
        await trial.Control.AdvanceAsync(TimeSpan.FromSeconds(6));
        await trial.Control.ClearStatsAsync();

        var outcomes = new Renewal[held.Length];
        await receiver.RenewAsync(held, outcomes, default);

        Assert.Equal(7, Assert.Single(Enumerable.Range(0, held.Length), i => outcomes[i] != Renewal.Renewed));
        Assert.Equal(Renewal.Lost, outcomes[7]);
        Assert.InRange((await trial.Control.StatsAsync()).Of("renew-lock"), 2, 11);
    }

    [Fact]
    public async Task What_renews_is_there_before_there_is_anything_to_renew()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 30);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);

        await RenewsWithoutAnotherLinkAsync(trial, receiver);
    }

    [Fact]
    public async Task What_renews_is_there_again_once_messages_come_by_another_connection()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 30);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        await RenewsWithoutAnotherLinkAsync(trial, receiver);
        await trial.Control.CutAsync(CutLevel.Socket);
        await Eventually.HoldsAsync("the loss to be seen", () => !receiver.IsConnected);

        await RenewsWithoutAnotherLinkAsync(trial, receiver);
    }

    private static async Task RenewsWithoutAnotherLinkAsync(Trial trial, IReceiver receiver)
    {
        await trial.Broker.SendAsync(Trial.Queue, "m");
        var message = await receiver.TakeAsync();
        var links = (await trial.Control.StatsAsync()).Of("attach");

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(message));
        Assert.Equal(links, (await trial.Control.StatsAsync()).Of("attach"));
    }

    // Each handler outlives its lock by half. Its renewals begin early, so that what goes wrong with them leaves seconds of trust to a busy machine.
    private static async Task KeepsAllAsync(Trial trial)
    {
        var sent = Port.Names(10);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 9, options => options.Lease.RenewAfter = 0.1);

        await consuming.DoneAsync(sent.Length);

        consuming.Explains(sent);
        Assert.Equal(0, consuming.Queue.Misses);
        Assert.Equal(0, (await trial.Control.StatsAsync()).ExpiredLocks);
        await trial.NothingIsLeftAsync();
    }
}
