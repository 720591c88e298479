using System.Net;
using System.Net.Sockets;

namespace Holdfast.Tests.Servers;

/// <summary>Free loopback ports, from below the range that the system gives to outgoing connections: one that is let go for a restart is still free after it.</summary>
internal static class LoopbackPorts
{
    public static int[] Take(int count)
    {
        var held = new List<TcpListener>();
        try
        {
            while (held.Count < count)
            {
                var listener = new TcpListener(IPAddress.Loopback, Random.Shared.Next(20_000, 32_000));
                try
                {
                    listener.Start();
                    held.Add(listener);
                }
                catch (SocketException)
                {
                    listener.Dispose();
                }
            }

            return [.. held.Select(listener => ((IPEndPoint)listener.LocalEndpoint).Port)];
        }
        finally
        {
            held.ForEach(listener => listener.Dispose());
        }
    }
}
