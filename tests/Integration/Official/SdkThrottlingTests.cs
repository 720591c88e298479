using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>A broker that is busy, and says for how long, is left in peace by Microsoft's client as by ours.</summary>
public sealed class SdkThrottlingTests
{
    private const string Queue = PrivateNamespace.Queue;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Whoever_receives_is_told_for_how_long_a_busy_broker_wants_its_peace(bool requiresSession)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { RequiresSession = requiresSession });
        await using var broker = server.NewSdkBroker(sessions: requiresSession);
        await broker.SendAsync(Queue, new Message { Id = "1", SessionId = requiresSession ? "a" : null });
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await server.Control.FaultAsync(new Fault("attach", FaultEffect.ServerBusy) { Entity = Queue, Times = 1, Description = "Please wait 40 seconds and try again." });

        var busy = await Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());

        Assert.Equal((true, TimeSpan.FromSeconds(40)), (busy.IsTransient, busy.RetryAfter));
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
}
