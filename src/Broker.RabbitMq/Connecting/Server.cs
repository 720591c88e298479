using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What a server says of itself, and what none takes.</summary>
internal static class Server
{
    /// <summary>How many bytes a name or another short text may have, as AMQP writes it.</summary>
    public const int LongestShortText = 255;

    /// <summary>The first whose quorum queues let messages expire, and keep them until the next queue has them.</summary>
    public static readonly Version FirstWithSureWaits = new(3, 10);

    public static readonly Version FirstWithDelayedRetry = new(4, 3);

    /// <summary>Ten years: it takes no longer life of a message or a queue, and ends the channel of whoever tries.</summary>
    public static readonly TimeSpan LongestLife = TimeSpan.FromDays(3_650);

    /// <summary>Its version, without what may follow the numbers; 0.0 where it tells none.</summary>
    public static Version VersionOf(IConnection connection)
    {
        if (connection.ServerProperties?.TryGetValue("version", out var value) != true || value is not byte[] text)
            return new Version(0, 0);
        var numbers = Encoding.UTF8.GetString(text).Split('-', '+')[0];
        return Version.TryParse(numbers, out var version) ? version : new Version(0, 0);
    }
}
