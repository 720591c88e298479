using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Servers;

/// <summary>A loopback port that nobody listens on: it is held, so that nobody comes to.</summary>
public sealed class ClosedPort : IDisposable
{
    private readonly Socket _held = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public ClosedPort() => _held.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    public int Number => ((IPEndPoint)_held.LocalEndPoint!).Port;

    public void Dispose() => _held.Dispose();
}
