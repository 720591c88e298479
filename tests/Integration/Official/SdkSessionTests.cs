using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Queues with sessions through Microsoft's client.</summary>
public sealed class SdkSessionTests : SessionContract
{
    private protected override IBroker NewBroker(PrivateNamespace server, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5) =>
        server.NewSdkBroker(sessions: true, sessionId, maxSessions, idleSeconds);

    [Fact]
    public async Task A_session_that_nobody_has_in_hand_is_free_once_receiving_ends()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { RequiresSession = true, LockDuration = TimeSpan.FromMinutes(5) });
        await using var broker = server.NewSdkBroker(sessions: true, idleSeconds: 600);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, new Message { Id = "1", SessionId = "a" });
        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Complete, default));

        using (var cancel = new CancellationTokenSource())
        {
            var waiting = receiver.ReceiveAsync(new Delivery[1], cancel.Token).AsTask();
            cancel.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        }

        await Eventually.HoldsAsync("the session to be free", async () => (await server.Control.SessionsAsync(PrivateNamespace.Queue)).All(session => !session.Locked));
    }
}
