using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A broker that is busy, and says so.</summary>
public sealed class ThrottlingTests
{
    private const string Busy = "The request was terminated because the entity is being throttled. Please wait 1 second and try again.";

    [Theory]
    [InlineData("attach")]
    [InlineData("settle")]
    [InlineData("renew-lock")]
    [InlineData("put-token")]
    public async Task A_busy_broker_slows_work_down_and_loses_none(string operation)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        var sent = Port.Names(20);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await trial.ConsumeAsync(seconds: 4);
        await Eventually.HoldsAsync("some to be held", () => consuming.Queue.LeasesHeld > 0);

        await trial.Control.FaultAsync(new Fault(operation, FaultEffect.ServerBusy) { Times = 3, Description = Busy });
        await trial.Control.CutAsync(CutLevel.Socket);

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        await trial.NothingIsLeftAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Whoever_receives_is_told_for_how_long_a_busy_broker_wants_its_peace(bool requiresSessions)
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Control.PutQueueAsync("slow", new QueueSettings { RequiresSession = requiresSessions });
        await using var receiver = await trial.Broker.OpenReceiverAsync("slow", default);
        await trial.Control.FaultAsync(new Fault("attach", FaultEffect.ServerBusy) { Entity = "slow", Description = "Please wait 60 seconds and try again." });
        await trial.Control.CutAsync(CutLevel.Socket);

        await Eventually.HoldsAsync("the broker to say for how long", async () => (await ProblemAsync(receiver)).RetryAfter == TimeSpan.FromSeconds(60));
    }

    [Fact]
    public async Task So_is_whoever_waits_while_a_busy_broker_ends_the_link()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var waiting = ProblemAsync(receiver);

        await trial.Control.CutAsync(CutLevel.Link, Trial.Queue, "com.microsoft:server-busy");

        Assert.Equal(TimeSpan.FromSeconds(10), (await waiting).RetryAfter);
    }

    [Fact]
    public async Task A_sender_is_told_that_the_broker_is_busy_and_may_try_again()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var sender = await trial.Broker.OpenSenderAsync(Trial.Queue, default);
        await trial.Control.FaultAsync(new Fault("send", FaultEffect.ServerBusy) { Times = 1, Description = Busy });

        var busy = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync("a"));

        Assert.True(busy.IsTransient);
        await Eventually.SucceedsAsync("the message to be sent", () => sender.SendAsync("a"));
        Assert.Equal(1, (await trial.Control.CountsAsync(Trial.Queue)).Active);
    }

    [Fact]
    public async Task What_a_busy_broker_refuses_together_is_not_sent_to_it_one_by_one()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var sender = await trial.Broker.OpenSenderAsync(Trial.Queue, default);
        await trial.Control.FaultAsync(new Fault("send", FaultEffect.ServerBusy) { Times = 5, Description = Busy });

        var sends = Enumerable.Range(0, 200).Select(n => sender.SendAsync($"{n}")).ToArray();

        foreach (var send in sends)
            Assert.Contains("too busy", (await Assert.ThrowsAsync<BrokerException>(() => send)).Message, StringComparison.Ordinal);
        Assert.Equal(0, (await trial.Control.CountsAsync(Trial.Queue)).Active);
    }

    [Fact]
    public async Task A_full_queue_refuses_in_one_line_what_is_sent()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await trial.Control.PutQueueAsync(Trial.Queue, new QueueSettings { MaxMessages = 1 });
        await using var sender = await trial.Broker.OpenSenderAsync(Trial.Queue, default);
        await sender.SendAsync("a");

        var full = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync("b"));

        Assert.Contains("'orders'", full.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', full.Message);
    }

    private static Task<BrokerException> ProblemAsync(IReceiver receiver) =>
        Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());
}
