using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>A virtual host of one test class's own.</summary>
public sealed class VirtualHost(RabbitServer server) : IAsyncLifetime
{
    private const string Limit = "short";

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

    /// <summary>A connection of the client library's own, for what a broker of ours would not do.</summary>
    public async Task<IConnection> ConnectAsync() => await new ConnectionFactory { Uri = new Uri(Uri), AutomaticRecoveryEnabled = false }.CreateConnectionAsync();

    /// <summary>Has the server close the connections that are there, or those of one purpose, until it holds what is waited for.</summary>
    public Task CloseConnectionsUntilAsync(string what, Func<bool> holds, string purpose = "") => Eventually.HoldsAsync(what, async () =>
    {
        // A new connection takes a moment to show there.
        foreach (var connection in await server.Management.ConnectionsAsync(Name))
        {
            if (connection.UserProvidedName?.EndsWith(purpose, StringComparison.Ordinal) == true)
                await server.Management.CloseConnectionAsync(connection);
        }

        return holds();
    });

    public Task<RabbitQueue?> QueueAsync(string queue) => server.Management.QueueAsync(Name, queue);

    /// <summary>Has a queue refuse what comes beyond so many messages.</summary>
    public Task LimitAsync(string queue, int most) =>
        server.Management.PutPolicyAsync(Name, Limit, $"^{queue}$", new Dictionary<string, object> { ["max-length"] = most, ["overflow"] = "reject-publish" });

    /// <summary>Takes that limit away.</summary>
    public Task UnlimitAsync() => server.Management.DeletePolicyAsync(Name, Limit);

    /// <summary>Does something, in Erlang, to Q, a queue within the server: there must be a private node.</summary>
    public Task OfQueueAsync(string queue, string doing) =>
        server.Node.ControlAsync("eval", $"{{ok, Q}} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"{Name}\">>, queue, <<\"{queue}\">>)), {doing}.");

    /// <summary>Ends those who hold messages, so that whatever they have not settled is back in the queue, and finds nothing there.</summary>
    public async Task NothingIsLeftAsync(string queue, params IEnumerable<IAsyncDisposable> holders)
    {
        foreach (var holder in holders)
            await holder.DisposeAsync();

        Assert.Equal(0u, await WaitingAsync(queue));
    }

    /// <summary>How many messages wait in a queue, none of those that are handed out. Asked of the queue itself: what the management API tells is of some seconds ago.</summary>
    public async Task<uint> WaitingAsync(string queue)
    {
        await using var connection = await ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        return (await channel.QueueDeclarePassiveAsync(queue)).MessageCount;
    }
}
