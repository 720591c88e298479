using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Limits of Service Bus that cost the same by whichever client.</summary>
internal static class Limits
{
    private const string Queue = PrivateNamespace.Queue;
    private const int MostDeliveries = 12;

    /// <summary>A queue with room for one message.</summary>
    public static QueueSettings Narrow(bool requiresSession) => new() { LockDuration = TimeSpan.FromSeconds(20), RequiresSession = requiresSession, MaxMessages = 1 };

    /// <summary>A queue that puts aside what has come too often.</summary>
    public static QueueSettings Burying => new() { LockDuration = TimeSpan.FromSeconds(20), MaxDeliveryCount = MostDeliveries };

    public static async Task GiveBackWhatCanNotWaitAsync(IBroker broker, bool requiresSession)
    {
        await using var sender = await broker.OpenSenderAsync(Queue, default);
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        await sender.SendAsync(new Message { Id = "1", SessionId = requiresSession ? "a" : null }, TimeSpan.Zero, default);
        var failed = await receiver.TakeAsync();

        Assert.True(await receiver.SettleAsync(failed, Settlement.Delay(TimeSpan.FromHours(1)).With(new Dictionary<string, object?> { ["story"] = "x" }), default));

        Assert.Contains("no room", failed.NotDelayed, StringComparison.Ordinal);
        var again = await receiver.TakeAsync();
        Assert.Equal((2, "x"), (again.DeliveryCount, again.Message.Properties["story"]));
    }

    public static async Task BuryAsync(IBroker broker)
    {
        await broker.SendAsync(Queue, "1");
        await using var receiver = await broker.OpenReceiverAsync(Queue, default);
        for (var n = 0; n < MostDeliveries; n++)
            Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Abandon, default));
    }
}
