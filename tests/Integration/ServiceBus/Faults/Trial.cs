using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A Service Bus whose locks are short, and a client of it that soon gives up waiting.</summary>
internal sealed class Trial : IAsyncDisposable
{
    public const string Queue = PrivateNamespace.Queue;

    private Trial(PrivateNamespace space, double patience)
    {
        Space = space;
        Broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            ConnectionString = space.Server.ConnectionString(),
            OperationTimeout = TimeSpan.FromSeconds(patience),
        });
    }

    public PrivateNamespace Space { get; }

    public ServiceBusBroker Broker { get; }

    public ServiceBusControl Control => Space.Control;

    public static async Task<Trial> StartAsync(double lockSeconds, double patience = 30) =>
        new(await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(lockSeconds), MaxDeliveryCount = 100 }), patience);

    /// <summary>A handler that takes so long.</summary>
    public Task<Consuming> ConsumeAsync(double seconds, Action<QueueOptions>? configure = null) => Consuming.StartAsync(
        Broker,
        Queue,
        async (_, cancel) =>
        {
            await Task.Delay(TimeSpan.FromSeconds(seconds), cancel);
            return Settlement.Complete;
        },
        configure);

    /// <summary>Waits until the broker has nothing of the queue any more, not even a dead letter.</summary>
    public Task NothingIsLeftAsync() => Eventually.HoldsAsync("the queue to be empty", async () => (await Control.CountsAsync(Queue)).Total == 0);

    public async ValueTask DisposeAsync()
    {
        await Broker.DisposeAsync();
        await Space.DisposeAsync();
    }
}
