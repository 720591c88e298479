using System.Net.Sockets;

namespace Holdfast.Tests.Servers;

/// <summary>A client's connection and the one to the server that belongs to it.</summary>
internal sealed class ProxiedConnection(Socket client) : IDisposable
{
    private readonly Socket _server = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly CancellationTokenSource _ended = new();
    private volatile bool _reset;

    public bool HasLost { get; private set; }

    public async Task RunAsync(string host, int port, Flow toServer, Flow toClient)
    {
        client.NoDelay = true;
        try
        {
            await _server.ConnectAsync(host, port, _ended.Token);
            await Task.WhenAll(PassAsync(client, _server, toServer), PassAsync(_server, client, toClient));
        }
        catch (Exception failure) when (failure is SocketException or OperationCanceledException)
        {
            // One of the two ended it, or the test did.
        }
    }

    public void End(bool reset)
    {
        _reset = reset;
        _ended.Cancel();
    }

    public void Dispose()
    {
        foreach (var socket in new[] { client, _server })
        {
            if (_reset)
                socket.LingerState = new LingerOption(true, 0);
            socket.Dispose();
        }
    }

    private async Task PassAsync(Socket from, Socket to, Flow flow)
    {
        var buffer = new byte[64 << 10];
        try
        {
            while (true)
            {
                var count = await from.ReceiveAsync(buffer, _ended.Token);
                if (await flow.MovesAsync(_ended.Token) == FlowState.Swallowing)
                {
                    HasLost = true;
                    if (count == 0)
                        await Task.Delay(Timeout.InfiniteTimeSpan, _ended.Token);
                }
                else if (count > 0)
                {
                    await SendAsync(to, buffer.AsMemory(0, count));
                }
                else
                {
                    to.Shutdown(SocketShutdown.Send);
                    return;
                }
            }
        }
        catch (SocketException)
        {
            // A reset goes both ways, unless the other side is not to hear of it.
            if (flow.State == FlowState.Flowing)
                End(reset: true);
            throw;
        }
    }

    private async Task SendAsync(Socket to, ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
            bytes = bytes[await to.SendAsync(bytes, _ended.Token)..];
    }
}
