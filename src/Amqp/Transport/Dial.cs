using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Holdfast.Amqp;

/// <summary>
/// Makes the stream to the peer: TCP, and TLS and a WebSocket on it where they are asked for. All of it blocks, on the reader thread;
/// any other may hang up, which wakes whoever is blocked on the socket.
/// </summary>
/// <param name="options">Where to.</param>
/// <param name="onControl">The writer has something to flush.</param>
/// <param name="onStalled">The writer gets nowhere.</param>
/// <param name="onResumed">It gets on again.</param>
internal sealed class Dial(AmqpConnectionOptions options, Action onControl, Action onStalled, Action onResumed)
{
    private readonly Lock _gate = new();
    private Socket? _socket;
    private bool _isHungUp;

    /// <summary>Whether something has arrived that nobody has read yet.</summary>
    public bool HasUnread
    {
        get
        {
            lock (_gate)
                return !_isHungUp && _socket is { Connected: true, Available: > 0 };
        }
    }

    public Stream Connect()
    {
        Stream stream = new SocketStream(ConnectSocket(), onStalled, onResumed);
        if (options.Tls is { } tls)
            stream = Secure(stream, tls);
        return options.WebSocket is { } webSocket ? WebSocketUpgrade.Ask(stream, options, webSocket, onControl) : stream;
    }

    public void HangUp()
    {
        Socket? socket;
        lock (_gate)
            (socket, _isHungUp) = (_socket, true);
        socket?.Dispose();
    }

    private Socket ConnectSocket()
    {
        SocketException? problem = null;
        foreach (var address in Dns.GetHostAddresses(options.Host))
        {
            var socket = NewSocket(address.AddressFamily);
            try
            {
                socket.Connect(address, options.Port);
                return socket;
            }
            catch (SocketException refused)
            {
                socket.Dispose();
                problem = refused;
            }
        }

        throw problem ?? new SocketException((int)SocketError.HostNotFound);
    }

    private Socket NewSocket(AddressFamily family)
    {
        // Frames are gathered by us: nothing shall wait for an acknowledgement of the kernel's.
        var socket = new Socket(family, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        lock (_gate)
        {
            if (_isHungUp)
                socket.Dispose();
            ObjectDisposedException.ThrowIf(_isHungUp, this);
            _socket = socket;
        }

        return socket;
    }

    private SslStream Secure(Stream stream, SslClientAuthenticationOptions tls)
    {
        var secured = new SslStream(stream);
        tls.TargetHost ??= options.Host;
        secured.AuthenticateAsClient(tls);
        return secured;
    }
}
