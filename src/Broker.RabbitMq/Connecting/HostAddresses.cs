using System.Net;
using System.Net.Sockets;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Finds the addresses that the server's hosts have. The client tries no more than the first of each name and kind, however long that is dead. Any thread.</summary>
/// <param name="lookUp">Asks the system.</param>
/// <param name="patience">How long that may take.</param>
/// <param name="time">The clock that it is measured by.</param>
internal sealed class HostAddresses(Func<string, CancellationToken, Task<IPAddress[]>> lookUp, TimeSpan patience, TimeProvider time)
{
    public async Task<IReadOnlyList<(ServerHost Host, string Address)>> OfAsync(IEnumerable<ServerHost> hosts, CancellationToken cancel)
    {
        var found = await Task.WhenAll(hosts.Select(host => OfAsync(host, cancel))).ConfigureAwait(false);
        return [.. found.SelectMany(each => each)];
    }

    private async Task<IEnumerable<(ServerHost Host, string Address)>> OfAsync(ServerHost host, CancellationToken cancel)
    {
        try
        {
            var addresses = await lookUp(host.Name, cancel).WaitAsync(patience, time, cancel).ConfigureAwait(false);
            return addresses.Select(address => (host, $"{address}"));
        }
        catch (Exception e) when (e is SocketException or TimeoutException)
        {
            // The client asks again, and says what is wrong.
            return [(host, host.Name)];
        }
    }
}
