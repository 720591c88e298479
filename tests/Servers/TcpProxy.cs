using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Servers;

/// <summary>A loopback port in front of a server, where everything that can happen to a TCP connection can be made to happen.</summary>
public sealed class TcpProxy : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly List<ProxiedConnection> _connections = [];
    private readonly Flow _toServer = new();
    private readonly Flow _toClient = new();
    private readonly string _host;
    private readonly int _port;
    private TcpListener? _listener;
    private Task _accepting = Task.CompletedTask;
    private int _accepted;

    /// <summary>Listens at once.</summary>
    public TcpProxy(string host, int port)
    {
        (_host, _port) = (host, port);
        var listener = LoopbackPorts.Listen();
        Port = LoopbackPorts.PortOf(listener);
        Accept(listener);
    }

    /// <summary>Where clients connect to.</summary>
    public int Port { get; }

    /// <summary>How many connections were ever accepted.</summary>
    public int Accepted => Volatile.Read(ref _accepted);

    /// <summary>How many connections are open now.</summary>
    public int Open => Current().Length;

    /// <summary>New connections are refused, as if no server ran. Those that are open stay.</summary>
    public void Refuse()
    {
        lock (_gate)
        {
            _listener?.Dispose();
            _listener = null;
        }
    }

    /// <summary>New connections are accepted again.</summary>
    public void Accept()
    {
        lock (_gate)
        {
            if (_listener is not null)
                return;
            var listener = new TcpListener(IPAddress.Loopback, Port);
            listener.Start();
            Accept(listener);
        }
    }

    /// <summary>Ends all connections, to both sides: with a reset, as a crash or a firewall does, or in order.</summary>
    public void Cut(bool reset = true)
    {
        foreach (var connection in Current())
            connection.End(reset);
    }

    /// <summary>Both sides keep their sockets, but what is sent that way is lost, without a word.</summary>
    public void Swallow(Traffic traffic) => Set(traffic, FlowState.Swallowing);

    /// <summary>What is sent that way waits, until the sender can send no more.</summary>
    public void Stall(Traffic traffic) => Set(traffic, FlowState.Stalled);

    /// <summary>Everything flows again. A connection that lost something in between is reset: its two ends would no longer understand each other.</summary>
    public void Heal()
    {
        foreach (var connection in Current().Where(connection => connection.HasLost))
            connection.End(reset: true);
        Set(Traffic.BothWays, FlowState.Flowing);
    }

    public async ValueTask DisposeAsync()
    {
        Refuse();
        await _accepting;
        Cut();
    }

    private void Set(Traffic traffic, FlowState state)
    {
        if (traffic.HasFlag(Traffic.ToServer))
            _toServer.State = state;
        if (traffic.HasFlag(Traffic.ToClient))
            _toClient.State = state;
    }

    private void Accept(TcpListener listener)
    {
        _listener = listener;
        _accepting = AcceptAsync(listener);
    }

    private async Task AcceptAsync(TcpListener listener)
    {
        try
        {
            while (true)
                _ = ServeAsync(await listener.AcceptSocketAsync());
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The listener was closed: new connections are refused from now on.
        }
    }

    private async Task ServeAsync(Socket client)
    {
        Interlocked.Increment(ref _accepted);
        using var connection = new ProxiedConnection(client);
        lock (_gate)
            _connections.Add(connection);
        try
        {
            await connection.RunAsync(_host, _port, _toServer, _toClient);
        }
        finally
        {
            lock (_gate)
                _connections.Remove(connection);
        }
    }

    private ProxiedConnection[] Current()
    {
        lock (_gate)
            return [.. _connections];
    }
}
