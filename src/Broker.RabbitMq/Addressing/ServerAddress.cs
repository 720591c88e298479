namespace Holdfast.Broker.RabbitMq;

/// <summary>Where the server is and who logs in there. Shown as text, it keeps the password to itself.</summary>
internal sealed class ServerAddress
{
    public required bool IsTls { get; init; }

    public required string User { get; init; }

    public required string Password { get; init; }

    public required IReadOnlyList<ServerHost> Hosts { get; init; }

    public required string VirtualHost { get; init; }

    /// <summary>The hosts alone, as a message names them.</summary>
    public string HostList => string.Join(',', Hosts);

    /// <exception cref="FormatException">It is no such address. The message says in a line what would be one, and shows no part of this.</exception>
    public static ServerAddress Parse(string? uri) => AddressText.Parse(uri ?? "");

    public override string ToString()
    {
        var path = VirtualHost == "/" ? "" : Uri.EscapeDataString(VirtualHost);
        return $"{(IsTls ? "amqps" : "amqp")}://{Uri.EscapeDataString(User)}@{HostList}/{path}";
    }
}
