using System.Globalization;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Where the namespace is. Shown as text, it is what a message to people names.</summary>
internal sealed class NamespaceAddress
{
    private const int TlsPort = 5671;
    private const int PlainPort = 5672;
    private const int HttpsPort = 443;

    public required string Host { get; init; }

    /// <summary>The port that was set, if one was.</summary>
    public int? GivenPort { get; init; }

    /// <summary>Whether it is a broker for development: then nothing is encrypted.</summary>
    public bool IsEmulator { get; init; }

    public bool IsTls => !IsEmulator;

    public int Port(ServiceBusTransport transport) =>
        GivenPort ?? (IsEmulator ? PlainPort : transport == ServiceBusTransport.WebSockets ? HttpsPort : TlsPort);

    /// <summary>The name by which a token grants the use of an entity; a <c>$management</c> node goes by its entity's.</summary>
    public string Audience(EntityName entity) => $"sb://{Host}/{entity.Path}";

    /// <exception cref="FormatException">It is no host's name. The message does not repeat it.</exception>
    public static NamespaceAddress OfHost(string host)
    {
        var (name, port) = host.Trim().Split(':') is [var given, var digits] ? (given, digits) : (host.Trim(), null);
        int? number = int.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out var parsed) && parsed is >= 1 and <= 65535 ? parsed : null;
        return Uri.CheckHostName(name) is UriHostNameType.Dns or UriHostNameType.IPv4 && (port is null || number is not null)
            ? new() { Host = name, GivenPort = number }
            : throw new FormatException("It is no host's name; set one such as name.servicebus.windows.net, without sb:// and without a path.");
    }

    public override string ToString() => GivenPort is { } port ? $"{Host}:{port}" : Host;
}
