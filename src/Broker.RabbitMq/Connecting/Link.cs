using System.Net;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>One connection, opened when it is first needed and opened anew once it is lost. Any thread.</summary>
internal sealed class Link(RabbitMqBrokerOptions options, ServerAddress address, string purpose, Func<string, Task<IConnection>>? connect = null) : IAsyncDisposable
{
    private static readonly TimeSpan s_timeToConnect = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_timeToGreet = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(2);

    // The client mixes up the answers once it has given up waiting for one (7.1). The heartbeat ends a connection that answers nothing.
    private static readonly TimeSpan s_noTimeout = TimeSpan.FromHours(1);

    // The largest message that any server takes. A smaller limit would cut the connection at each delivery of a larger one.
    private const uint LargestMessage = 512u << 20;

    private readonly HostAddresses _addresses = new(Dns.GetHostAddressesAsync, s_timeToConnect, options.TimeProvider);
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _closing = new();
    private Task<IConnection>? _connection;
    private ITcpClient? _socket;
    private Blockade? _blockade;
    private bool _isClosed;

    /// <summary>Why the server takes no messages from us right now, where it says so.</summary>
    public string? Blocked => Volatile.Read(ref _blockade) is { Connection.IsOpen: true, Reason: var why } ? why : null;

    /// <summary>The same in a sentence for the person on call.</summary>
    public string? Obstacle => Blocked is { } why ? Problems.TakesNothing(why, address) : null;

    /// <exception cref="BrokerException">The server can't be reached, or refuses us.</exception>
    public Task<IConnection> OpenAsync(CancellationToken cancel)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            if (_connection is null || _connection.IsFaulted || _connection is { IsCompletedSuccessfully: true, Result.IsOpen: false })
            {
                // It is no part of the work, or of the trace, of who happens to need it first.
                using var flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
                _connection = ConnectAsync();
            }

            return _connection.WaitAsync(cancel);
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task<IConnection>? connection;
        lock (_gate)
            (connection, _isClosed) = (_connection, true);
        if (connection is null)
            return;

        await _closing.CancelAsync().ConfigureAwait(false);
        await ((Task)connection).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (connection.IsCompletedSuccessfully)
        {
            // A queue that hangs holds up its channels, and they the connection's farewell: then it ends without.
            var leaving = LeaveAsync(connection.Result);
            await leaving.WaitAsync(s_timeToClose, options.TimeProvider).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _socket?.Dispose();
            await leaving.ConfigureAwait(false);
        }
    }

    private async Task<IConnection> ConnectAsync()
    {
        Task<IConnection>? connecting = null;
        var sockets = new Sockets();
        try
        {
            var endpoints = connect is null ? await EndpointsAsync().ConfigureAwait(false) : [];

            // The client bounds what leads to a socket, and then waits for the server's first word for ever.
            connecting = connect?.Invoke(purpose) ?? Factory(sockets).CreateConnectionAsync(endpoints, CancellationToken.None);
            var connection = await connecting.WithinAsync((s_timeToConnect * Math.Max(endpoints.Count, address.Hosts.Count)) + s_timeToGreet, options.TimeProvider, _closing.Token).ConfigureAwait(false);
            HearOfBlockades(connection);
            _socket = sockets.Last;
            return connection;
        }
        catch (Exception e)
        {
            if (connecting is not null)
                _ = GiveUpAsync(connecting, sockets);
            throw e is UnansweredException none ? Problems.Ungreeted(none, address) : Problems.Of(e, address, queue: null);
        }
    }

    // It may have been about to get there after all: then nobody waits for it any more.
    private static async Task GiveUpAsync(Task<IConnection> connecting, Sockets sockets)
    {
        sockets.GiveUp();
        await ((Task)connecting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (connecting.IsCompletedSuccessfully)
            await LeaveAsync(connecting.Result).ConfigureAwait(false);
    }

    private ConnectionFactory Factory(Sockets sockets) => new()
    {
        UserName = address.User,
        Password = address.Password,
        VirtualHost = address.VirtualHost,
        RequestedHeartbeat = options.Heartbeat,
        RequestedConnectionTimeout = s_timeToConnect,
        ContinuationTimeout = s_noTimeout,
        MaxInboundMessageBodySize = LargestMessage,
        AutomaticRecoveryEnabled = false,
        TopologyRecoveryEnabled = false,
        SocketFactory = family => sockets.Keep(ConnectionFactoryBase.DefaultSocketFactory(family)),
        ClientProvidedName = $"holdfast on {Environment.MachineName}, {purpose}",
    };

    private async Task<List<AmqpTcpEndpoint>> EndpointsAsync()
    {
        var tls = address.IsTls ? Tls.Read(options) : null;
        var found = await _addresses.OfAsync(address.Hosts, _closing.Token).ConfigureAwait(false);
        return [.. found.Select(at => new AmqpTcpEndpoint(at.Address, at.Host.Port, tls?.For(at.Host) ?? new SslOption(), LargestMessage))];
    }

    private static async Task LeaveAsync(IConnection connection)
    {
        try
        {
            await connection.CloseAsync(s_timeToClose).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // It is gone already, or does not answer; the server will find out.
        }

        await connection.DisposeAsync().ConfigureAwait(false);
    }

    private void HearOfBlockades(IConnection connection)
    {
        connection.ConnectionBlockedAsync += (_, why) =>
        {
            // What a connection says that has ended is of no concern to the next.
            if (connection.IsOpen)
                Volatile.Write(ref _blockade, new(connection, why.Reason));
            return Task.CompletedTask;
        };
        connection.ConnectionUnblockedAsync += (_, _) =>
        {
            if (Volatile.Read(ref _blockade) is { } known && known.Connection == connection)
                Interlocked.CompareExchange(ref _blockade, null, known);
            return Task.CompletedTask;
        };
    }

    /// <summary>What one attempt to connect has opened, host after host.</summary>
    private sealed class Sockets
    {
        private readonly Lock _gate = new();
        private bool _isGivenUp;

        public ITcpClient? Last { get; private set; }

        public ITcpClient Keep(ITcpClient socket)
        {
            lock (_gate)
            {
                if (!_isGivenUp)
                    return Last = socket;
            }

            socket.Dispose();
            throw new IOException("The attempt to connect was given up.");
        }

        /// <summary>Ends the one there is, and has no further one opened.</summary>
        public void GiveUp()
        {
            lock (_gate)
                _isGivenUp = true;
            Last?.Dispose();
        }
    }

    /// <summary>It ends with its connection, for then nobody says that it is over.</summary>
    private sealed record Blockade(IConnection Connection, string Reason);
}
