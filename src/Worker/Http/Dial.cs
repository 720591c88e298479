using System.Net;
using System.Net.Sockets;

namespace Holdfast.Worker.Http;

/// <summary>Connects to the first of an endpoint's addresses that answers. On the pool.</summary>
/// <param name="resolve">The addresses of a name.</param>
/// <param name="longest">How long it may take in all; whoever calls sees to that.</param>
/// <param name="time">The clock that it is measured by.</param>
internal sealed class Dial(Func<string, CancellationToken, Task<IPAddress[]>> resolve, TimeSpan longest, TimeProvider time)
{
    /// <summary>How long a connection may be quiet before it is asked for a sign of life, so that whoever stands between does not forget it while an answer is long in coming.</summary>
    public static readonly TimeSpan ToProveLife = TimeSpan.FromSeconds(15);

    // Linux's TCP_USER_TIMEOUT, for which .NET has no name.
    private const int UserTimeout = 18;

    // Three questions may stay unanswered.
    private static readonly TimeSpan s_toGiveUp = 4 * ToProveLife;

    public async ValueTask<Stream> ConnectAsync(DnsEndPoint endpoint, CancellationToken cancel)
    {
        Exception? problem = null;
        var startedAt = time.GetTimestamp();
        var addresses = await resolve(endpoint.Host, cancel);
        for (var left = addresses.Length; left > 0; left--)
        {
            using var share = new CancellationTokenSource(left > 1 ? Share(startedAt, left) : Timeout.InfiniteTimeSpan, time);
            using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel, share.Token);
            try
            {
                return await ConnectAsync(new IPEndPoint(addresses[^left], endpoint.Port), enough.Token);
            }
            catch (Exception refused) when (!cancel.IsCancellationRequested && (refused is SocketException || share.IsCancellationRequested))
            {
                problem = refused;
            }
        }

        throw problem ?? new SocketException((int)SocketError.HostNotFound);
    }

    // An address that is silent leaves time to those behind it.
    private TimeSpan Share(long startedAt, int left)
    {
        var rest = longest - time.GetElapsedTime(startedAt);
        return rest > TimeSpan.Zero ? rest / left : TimeSpan.Zero;
    }

    private static async Task<Stream> ConnectAsync(IPEndPoint address, CancellationToken cancel)
    {
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, (int)ToProveLife.TotalSeconds);
            socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, (int)ToProveLife.TotalSeconds);
            // While something that was sent is not acknowledged Linux does not ask for a sign of life, and sends it again for a quarter of an hour.
            if (OperatingSystem.IsLinux())
                socket.SetRawSocketOption((int)SocketOptionLevel.Tcp, UserTimeout, BitConverter.GetBytes((int)s_toGiveUp.TotalMilliseconds));
            await socket.ConnectAsync(address, cancel);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
