using Holdfast.Tests.Integration.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's client and ours on the same entities: what the one writes, the other reads.</summary>
public sealed class SdkEntityTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_one_client_has_delayed_the_other_takes_as_the_same_message(bool isDelayedByTheSdk)
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var sdk = server.NewSdkBroker();
        await using var own = server.NewBroker();
        var (first, second) = isDelayedByTheSdk ? ((IBroker)sdk, (IBroker)own) : (own, sdk);
        await second.SendAsync(PrivateNamespace.Queue, new Message { Id = "a", Body = new byte[] { 1, 2 }, Priority = 3, Properties = new Dictionary<string, object?> { ["mine"] = "kept" } });
        DateTimeOffset enqueuedAt;
        await using (var receiver = await first.OpenReceiverAsync(PrivateNamespace.Queue, default))
        {
            var delivery = await receiver.TakeAsync();
            enqueuedAt = delivery.EnqueuedAt;
            Assert.True(await receiver.SettleAsync(delivery, Settlement.Delay(TimeSpan.FromMinutes(1)), default));
        }

        await server.Control.AdvanceAsync(TimeSpan.FromMinutes(1));
        await using var next = await second.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var again = await next.TakeAsync();

        Assert.Equal(("a", 2, "kept"), (again.Message.Id, again.DeliveryCount, again.Message.Properties["mine"]));
        Assert.Equal(3, again.Message.Priority);
        Assert.Equal(enqueuedAt, again.EnqueuedAt, TimeSpan.FromMilliseconds(1));
        Assert.Equal([1, 2], again.Message.Body.ToArray());
    }
}
