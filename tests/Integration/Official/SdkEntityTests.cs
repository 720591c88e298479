using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

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

    [Fact]
    public async Task What_is_to_wait_for_longer_than_there_are_years_waits_until_they_end()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await sender.SendAsync("1");

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.MaxValue), default));
        await sender.SendAsync(new Message { Id = "2" }, TimeSpan.MaxValue, default);

        Assert.Equal(2, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Scheduled);
    }

    [Theory]
    [InlineData(3_000, 1, 0)]
    [InlineData(4_000, 0, 1)]
    public async Task A_message_that_is_too_large_to_wait_with_its_story_waits_without_or_is_given_back(int size, int scheduled, int active)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), MaxMessageBytes = 4_096 });
        await using var broker = server.NewSdkBroker();
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, new Message { Id = "1", Body = new byte[size] });
        var story = new Dictionary<string, object?> { ["story"] = new string('x', 2_000) };

        Assert.True(await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromHours(1)).With(story), default));

        var counts = await server.Control.CountsAsync(PrivateNamespace.Queue);
        Assert.Equal((scheduled, active), (counts.Scheduled, counts.Active));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Both_clients_read_properties_of_every_type_alike(bool isSentByTheSdk)
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var sdk = server.NewSdkBroker();
        await using var own = server.NewBroker();
        var properties = new Dictionary<string, object?>
        {
            ["text"] = "é",
            ["none"] = null,
            ["yes"] = true,
            ["number"] = 7,
            ["large"] = long.MaxValue,
            ["half"] = 0.5,
            ["exact"] = 1.10m,
            ["letter"] = 'x',
            ["id"] = Guid.NewGuid(),
            ["time"] = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
            ["span"] = TimeSpan.FromSeconds(1.5),
            ["place"] = new Uri("https://example.com/a"),
            ["way"] = new Uri("a/b", UriKind.Relative),
        };
        for (var i = 0; i < 2; i++)
            await (isSentByTheSdk ? (IBroker)sdk : own).SendAsync(PrivateNamespace.Queue, new Message { Id = $"{i}", Properties = properties });

        var read = new[] { await ReadAsync(own), await ReadAsync(sdk) };

        Assert.Equal(properties.Keys.Order(), read[0].Keys.Order());
        Assert.Equal(read[0].OrderBy(property => property.Key), read[1].OrderBy(property => property.Key));

        static async Task<IReadOnlyDictionary<string, object?>> ReadAsync(IBroker broker)
        {
            await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
            var delivery = await receiver.TakeAsync();
            await receiver.CompleteAsync(delivery);
            return delivery.Message.Properties;
        }
    }
}
