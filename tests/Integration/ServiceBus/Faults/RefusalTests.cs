using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>What can never work is one line, which names the cure and never the key.</summary>
public sealed class RefusalTests
{
    [Fact]
    public async Task A_wrong_key_is_named_by_its_setting()
    {
        await using var space = await PrivateNamespace.StartAsync();
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = space.Server.ConnectionString(key: "d3JvbmcrdGVzdA==") });

        var refused = await IsRefusedAsync(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default));

        Assert.Contains("ConnectionStrings__ServiceBus", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("d3JvbmcrdGVzdA==", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nowhere")]
    [InlineData("nowhere/Subscriptions/none")]
    [InlineData("orders/Subscriptions/none")]
    public async Task An_entity_that_is_not_there_is_named_to_receive_from_and_to_send_to(string entity)
    {
        await using var space = await PrivateNamespace.StartAsync();
        await using var broker = space.NewBroker();

        var refused = await IsRefusedAsync(() => broker.OpenReceiverAsync(entity, default));

        Assert.Contains($"'{entity}'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_that_is_missing_to_send_to_is_named()
    {
        await using var space = await PrivateNamespace.StartAsync();
        await using var broker = space.NewBroker();

        var refused = await Assert.ThrowsAsync<BrokerException>(async () => await broker.OpenSenderAsync("nowhere", default));

        Assert.Contains("'nowhere'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_that_is_deleted_in_the_midst_of_work_is_told_and_taken_up_again_when_it_is_back()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        var waiting = receiver.ReceiveAsync(new Delivery[1], default);

        await trial.Control.DeleteQueueAsync(Trial.Queue);

        var told = await Assert.ThrowsAsync<BrokerException>(async () => await waiting);
        Assert.Contains("'orders'", told.Message, StringComparison.Ordinal);
        await trial.Control.PutQueueAsync(Trial.Queue);
        await Eventually.SucceedsAsync("a message to be sent", () => trial.Broker.SendAsync(Trial.Queue, "a"));
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Fact]
    public async Task A_broker_that_never_answers_an_attach_is_given_up_in_one_line()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20, patience: 1);
        await trial.Control.FaultAsync(new Fault("attach", FaultEffect.Silent) { Entity = Trial.Queue });

        var silent = await Assert.ThrowsAsync<BrokerException>(async () => await trial.Broker.OpenReceiverAsync(Trial.Queue, default));

        Assert.True(silent.IsTransient);
        Assert.DoesNotContain('\n', silent.Message);
        await trial.Control.ClearFaultsAsync();
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
    }

    private static async Task<BrokerException> IsRefusedAsync(Func<ValueTask<IReceiver>> open)
    {
        var refused = await Assert.ThrowsAsync<BrokerException>(async () => await open());
        Assert.False(refused.IsTransient);
        Assert.DoesNotContain('\n', refused.Message);
        return refused;
    }
}
