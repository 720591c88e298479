using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What a server says of itself.</summary>
internal static class Server
{
    public static readonly Version FirstWithDelayedRetry = new(4, 3);

    /// <summary>Its version, without what may follow the numbers; 0.0 where it tells none.</summary>
    public static Version VersionOf(IConnection connection)
    {
        if (connection.ServerProperties?.TryGetValue("version", out var value) != true || value is not byte[] text)
            return new Version(0, 0);
        var numbers = Encoding.UTF8.GetString(text).Split('-', '+')[0];
        return Version.TryParse(numbers, out var version) ? version : new Version(0, 0);
    }
}
