using Holdfast.Broker.ServiceBusSdk;
using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Integration.Official;

/// <summary>A broker that is busy, and says for how long, is left in peace by Microsoft's client as by ours.</summary>
public sealed class SdkThrottlingTests
{
    private const string Queue = PrivateNamespace.Queue;

    private static readonly TimeSpan s_asked = TimeSpan.FromSeconds(40);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nothing_is_received_for_as_long_as_a_busy_broker_asks(bool requiresSession)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromMinutes(5), RequiresSession = requiresSession });
        var time = new VirtualTime();
        time.Advance(DateTimeOffset.UtcNow - time.GetUtcNow());
        await using var broker = server.NewSdkBroker(sessions: requiresSession, time: time);
        await using var receiver = await BusyAsync(server, broker, requiresSession);
        var attaches = await AttachesAsync(server);

        // The client holds back for 10 s by itself, deaf to who calls it off, and one for each session not even that.
        using var enough = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiver.ReceiveAsync(new Delivery[1], enough.Token).AsTask().WaitAsync(TimeSpan.FromSeconds(8)));
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        Assert.Equal((false, attaches), (waiting.IsCompleted, await AttachesAsync(server)));
        time.Advance(s_asked);
        Assert.Equal(1, await waiting.WaitAsync(TimeSpan.FromSeconds(15)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Closing_a_receiver_ends_its_wait_for_a_busy_broker(bool requiresSession)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { RequiresSession = requiresSession });
        await using var broker = server.NewSdkBroker(sessions: requiresSession);
        var receiver = await BusyAsync(server, broker, requiresSession);
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await receiver.DisposeAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(TimeSpan.FromSeconds(15)));
    }

    [Fact]
    public async Task Locks_are_renewed_although_the_broker_was_too_busy_to_settle()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await broker.SendAsync(Queue, "1");
        var held = await receiver.TakeAsync();
        await server.Control.FaultAsync(new Fault("settle", FaultEffect.ServerBusy) { Times = 1 });
        await Assert.ThrowsAsync<BrokerException>(() => receiver.SettleAsync(held, Settlement.Complete, default).AsTask());

        Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held).WaitAsync(TimeSpan.FromSeconds(8)));
    }

    // Open, and told once that the broker is busy; a message is there.
    private static async Task<IReceiver> BusyAsync(PrivateNamespace server, ServiceBusSdkBroker broker, bool requiresSession)
    {
        await broker.SendAsync(Queue, new Message { Id = "1", SessionId = requiresSession ? "a" : null });
        var receiver = await broker.OpenReceiverAsync(Queue, default);
        await server.Control.FaultAsync(new Fault("attach", FaultEffect.ServerBusy) { Entity = Queue, Times = 1, Description = $"Please wait {s_asked.TotalSeconds} seconds and try again." });
        var busy = await Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());
        Assert.Equal((true, s_asked), (busy.IsTransient, busy.RetryAfter));
        return receiver;
    }

    private static async Task<long> AttachesAsync(PrivateNamespace server) => (await server.Control.StatsAsync()).Of("attach");
}
