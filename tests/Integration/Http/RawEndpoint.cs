using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Holdfast.Tests.Integration.Http;

/// <summary>An endpoint that keeps no rule: it reads the head of a request, and then does with the connection what it was told.</summary>
internal sealed class RawEndpoint : IDisposable
{
    // Linux's TCP_MAXSEG, by which it measures what it keeps for sending.
    private const int LongestSegment = 2;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    /// <param name="act">What is done.</param>
    /// <param name="isFar">Whether the system takes as little ahead as over a network. Within a machine it would be megabytes, on both sides.</param>
    public RawEndpoint(Func<NetworkStream, Task> act, bool isFar = false)
    {
        if (isFar)
        {
            _listener.Server.ReceiveBufferSize = 4_096;
            _listener.Server.SetRawSocketOption((int)SocketOptionLevel.Tcp, LongestSegment, BitConverter.GetBytes(1_460));
        }

        _listener.Start();
        Serving = ServeAsync(act);
    }

    /// <summary>One that sends this text and closes.</summary>
    public RawEndpoint(string text)
        : this(stream => stream.WriteAsync(Encoding.ASCII.GetBytes(text)).AsTask())
    {
    }

    public string Url => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    /// <summary>Ends once the first connection has been served and is closed.</summary>
    public Task Serving { get; }

    public void Dispose() => _listener.Dispose();

    private async Task ServeAsync(Func<NetworkStream, Task> act)
    {
        using var client = await _listener.AcceptTcpClientAsync();
        var stream = client.GetStream();
        using (var reader = new StreamReader(stream, Encoding.ASCII, bufferSize: 1, leaveOpen: true))
        {
            while (await reader.ReadLineAsync() is { Length: > 0 })
            {
            }
        }

        await act(stream);
    }
}
