using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Unit;

/// <summary>An address that answers nobody who wants to connect: a listener that accepts none, and has no place for any more who wait.</summary>
internal sealed class SilentAddress : IDisposable
{
    private const int MoreThanItHasPlaceFor = 4;

    private readonly List<Socket> _sockets = [];

    public SilentAddress(IPAddress address, int port = 0)
    {
        var listener = NewSocket();
        listener.Bind(new IPEndPoint(address, port));
        listener.Listen(0);
        Port = ((IPEndPoint)listener.LocalEndPoint!).Port;
        for (var i = 0; i < MoreThanItHasPlaceFor; i++)
        {
            var waiting = NewSocket();
            waiting.Blocking = false;
            Assert.ThrowsAny<SocketException>(() => waiting.Connect(address, Port));
        }
    }

    public int Port { get; }

    public void Dispose() => _sockets.ForEach(socket => socket.Dispose());

    private Socket NewSocket()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _sockets.Add(socket);
        return socket;
    }
}
