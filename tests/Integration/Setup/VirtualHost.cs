using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>A virtual host of one test class's own.</summary>
public sealed class VirtualHost(RabbitServer server) : IAsyncLifetime
{
    private int _queues;
    private bool _isThere;

    public RabbitServer Server => server;

    public string Name { get; } = $"holdfast-{Guid.NewGuid():N}";

    public string Uri => server.UriOf(Name);

    public async ValueTask InitializeAsync()
    {
        if (!server.IsThere)
            return;
        await server.Management.CreateVhostAsync(Name);
        _isThere = true;
    }

    public async ValueTask DisposeAsync()
    {
        if (_isThere)
            await server.Management.DeleteVhostAsync(Name);
    }

    /// <summary>A name for a queue that no other test uses.</summary>
    public string NewQueue() => $"orders-{Interlocked.Increment(ref _queues)}";

    /// <summary>A broker that declares what it needs.</summary>
    public RabbitMqBroker NewBroker(QueueType type = QueueType.Quorum, int? port = null, TimeSpan? heartbeat = null, TimeSpan? consumerTimeout = null) => new(new RabbitMqBrokerOptions
    {
        Uri = server.UriOf(Name, port),
        Declare = true,
        QueueType = type,
        MaxPriority = (byte)(type == QueueType.Classic ? 9 : 0),
        Heartbeat = heartbeat ?? TimeSpan.FromSeconds(10),
        ConsumerTimeout = consumerTimeout ?? TimeSpan.FromMinutes(30),
    });

    /// <summary>Waits for the connections that are there, and has the server close them all.</summary>
    public async Task CloseConnectionsAsync()
    {
        var closed = 0;
        await Eventually.HoldsAsync("a connection to close", async () =>
        {
            foreach (var connection in await server.Management.ConnectionsAsync(Name))
                closed += await server.Management.CloseConnectionAsync(connection) ? 1 : 0;
            return closed > 0;
        });
    }

    public Task<RabbitQueue?> QueueAsync(string queue) => server.Management.QueueAsync(Name, queue);

    public Task IsEmptyAsync(string queue) =>
        Eventually.HoldsAsync($"{queue} to be empty", async () => await QueueAsync(queue) is { Messages: 0 });
}
