using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Holdfast.Amqp;

/// <summary>
/// Makes the stream to the peer: TCP, and TLS and a WebSocket on it where they are asked for. All of it blocks, on the reader thread;
/// any other may hang up, which wakes whoever is blocked on the socket.
/// </summary>
/// <param name="options">Where to.</param>
/// <param name="resolve">The addresses of a name.</param>
/// <param name="onControl">The writer has something to flush.</param>
/// <param name="onStalled">The writer gets nowhere.</param>
/// <param name="onResumed">It gets on again.</param>
internal sealed class Dial(AmqpConnectionOptions options, Func<string, IPAddress[]> resolve, Action onControl, Action onStalled, Action onResumed)
{
    // No system tries one address for as long.
    private static readonly TimeSpan s_longestShare = TimeSpan.FromMinutes(10);

    private readonly Lock _gate = new();
    private Socket? _socket;
    private bool _isHungUp;

    // Of an address no name server is asked.
    private volatile DialStage _stage = IPAddress.TryParse(options.Host, out _) ? DialStage.Connection : DialStage.Name;

    /// <summary>What is waited for, while there is no stream yet.</summary>
    public DialStage Stage => _stage;

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
        {
            _stage = DialStage.Tls;
            stream = Secure(stream, tls);
        }

        if (options.WebSocket is not { } webSocket)
            return stream;
        _stage = DialStage.WebSocket;
        return WebSocketUpgrade.Ask(stream, options, webSocket, onControl);
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
        Exception? problem = null;
        var startedAt = options.Time.GetTimestamp();
        var addresses = resolve(options.Host);
        _stage = DialStage.Connection;
        for (var left = addresses.Length; left > 0; left--)
        {
            var address = addresses[^left];
            var socket = NewSocket(address.AddressFamily);

            // A socket that waits without blocking would never block again: every later read would go by way of .NET's own thread for sockets.
            using var share = new CancellationTokenSource(left > 1 ? Share(startedAt, left) : Timeout.InfiniteTimeSpan, options.Time);
            var givingUp = share.Token.UnsafeRegister(static socket => ((Socket)socket!).Dispose(), socket);
            try
            {
                socket.Connect(address, options.Port);
                if (givingUp.Unregister())
                    return socket;
            }
            catch (Exception refused) when (refused is SocketException or ObjectDisposedException)
            {
                socket.Dispose();
                problem = refused;
            }
        }

        throw problem ?? new SocketException((int)SocketError.HostNotFound);
    }

    // An address that is silent leaves time to those behind it.
    private TimeSpan Share(long startedAt, int left) =>
        TimeSpan.FromTicks(Math.Clamp((options.OpenTimeout - options.Time.GetElapsedTime(startedAt)).Ticks / left, 0, s_longestShare.Ticks));

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
