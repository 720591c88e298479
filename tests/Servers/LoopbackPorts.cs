using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Servers;

/// <summary>Free loopback ports, from below the range that the system gives to outgoing connections, and none twice: one that is let go for a restart is still free after it.</summary>
internal static class LoopbackPorts
{
    private static readonly ConcurrentDictionary<int, bool> s_given = [];

    public static int[] Take(int count)
    {
        var held = new List<TcpListener>();
        try
        {
            while (held.Count < count)
                held.Add(Listen());
            return [.. held.Select(PortOf)];
        }
        finally
        {
            held.ForEach(listener => listener.Dispose());
        }
    }

    /// <summary>One that is listened to at once. A port that is let go first may still be held for a moment, by a process that another thread is just starting.</summary>
    public static TcpListener Listen()
    {
        while (true)
        {
            var listener = new TcpListener(IPAddress.Loopback, Random.Shared.Next(20_000, 32_000));
            try
            {
                listener.Start();
                if (s_given.TryAdd(PortOf(listener), true))
                    return listener;
            }
            catch (SocketException)
            {
                // Somebody else has it.
            }

            listener.Dispose();
        }
    }

    public static int PortOf(TcpListener listener) => ((IPEndPoint)listener.LocalEndpoint).Port;
}
