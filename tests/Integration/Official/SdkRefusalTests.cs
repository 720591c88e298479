using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>What can never work is one line, in the words of our own client.</summary>
public sealed class SdkRefusalTests
{
    private const string WrongKey = "d3JvbmcrdGVzdA==";

    [Fact]
    public async Task A_wrong_key_is_named_by_its_setting()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker(key: WrongKey);

        var refused = await IsRefusedAsync(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask());

        Assert.Contains("ConnectionStrings__ServiceBus", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(WrongKey, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_entity_that_is_not_there_is_named_to_receive_from_and_to_send_to()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();

        foreach (var open in new Func<Task>[] { () => broker.OpenReceiverAsync("nowhere", default).AsTask(), () => broker.OpenSenderAsync("nowhere", default).AsTask() })
            Assert.Contains("has no 'nowhere'", (await IsRefusedAsync(open)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_can_be_sent_to_dead_letters()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();

        await IsRefusedAsync(() => broker.OpenSenderAsync("orders/$DeadLetterQueue", default).AsTask());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Sessions_that_are_set_wrong_are_named_by_their_setting(bool isRequired)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { RequiresSession = isRequired });
        await using var broker = server.NewSdkBroker(sessions: !isRequired);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        var refused = await IsRefusedAsync(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());

        Assert.Contains("Worker__ServiceBus__Sessions", refused.Message, StringComparison.Ordinal);
    }

    private static async Task<BrokerException> IsRefusedAsync(Func<Task> ask)
    {
        var refused = await Assert.ThrowsAsync<BrokerException>(ask);
        Assert.False(refused.IsTransient);
        Assert.DoesNotContain('\n', refused.Message);
        return refused;
    }
}
