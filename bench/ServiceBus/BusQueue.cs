using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Bench;

/// <summary>A Service Bus of its own with one queue, and the messages that are put into it.</summary>
internal sealed class BusQueue : IAsyncDisposable
{
    public const string Name = "orders";

    private const int Batch = 1_000;

    private readonly ServiceBusServer _server;

    private BusQueue(ServiceBusServer server) => _server = server;

    public string ConnectionString => _server.ConnectionString();

    public ServiceBusControl Control => _server.Control;

    public static async Task<BusQueue> StartAsync(TimeSpan lockDuration)
    {
        var server = await ServiceBusServer.StartAsync();
        await server.Control.PutQueueAsync(Name, new QueueSettings { LockDuration = lockDuration, MaxDeliveryCount = int.MaxValue });
        return new BusQueue(server);
    }

    /// <summary>Sends that many, numbered from zero, and returns once the broker has taken over all of them.</summary>
    public async Task FillAsync(int messages)
    {
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = ConnectionString });
        await using var sender = await broker.OpenSenderAsync(Name, default);
        for (var done = 0; done < messages; done += Batch)
            await Task.WhenAll(Enumerable.Range(done, Math.Min(Batch, messages - done)).Select(number => sender.SendAsync(Message(number), TimeSpan.Zero, default).AsTask()));
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static Message Message(int number) => new() { Id = $"{number}", Body = Letter.Write(number, 0) };
}
