using System.Globalization;

namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>What a private Service Bus is to offer beside plain AMQP.</summary>
public sealed record ServiceBusServerOptions
{
    public bool Tls { get; init; }

    public bool WebSockets { get; init; }

    /// <summary>After how long a silence of the client the broker closes its connection.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromMinutes(4);

    /// <summary>After how long without traffic a link that receives is detached, where its queue does not say it; zero for never. Azure's is ten minutes.</summary>
    public TimeSpan LinkIdleTimeout { get; init; }

    /// <summary>How many sessions a connection may have, less one. Azure's is 4999.</summary>
    public int ChannelMax { get; init; } = 4999;

    /// <summary>The OAuth token that is let in, beside those signed with the key.</summary>
    public string? BearerToken { get; init; }

    internal IEnumerable<string> Arguments(Certificates? certificates)
    {
        yield return $"--idle-timeout={IdleTimeout.TotalMilliseconds.ToString("0", CultureInfo.InvariantCulture)}";
        yield return $"--link-idle-timeout={LinkIdleTimeout.TotalMilliseconds.ToString("0", CultureInfo.InvariantCulture)}";
        yield return string.Create(CultureInfo.InvariantCulture, $"--channel-max={ChannelMax}");
        if (certificates is not null)
            yield return $"--tls-cert={certificates.ServerFile}";
        if (certificates is not null)
            yield return $"--tls-key={certificates.ServerKeyFile}";
        if (WebSockets)
            yield return "--ws";
        if (BearerToken is not null)
            yield return $"--bearer={BearerToken}";
    }
}
