namespace Holdfast.Tests.Servers;

/// <summary>A client's connection, as the server sees it.</summary>
public sealed record RabbitConnection
{
    public required string Name { get; init; }

    /// <summary>What the client calls it.</summary>
    public string? UserProvidedName { get; init; }

    /// <summary>Such as running, blocked or blocking.</summary>
    public string? State { get; init; }

    /// <summary>The heartbeat that both ends agreed on, in seconds.</summary>
    public int? Timeout { get; init; }

    /// <summary>Whom the client's certificate names, where it showed one.</summary>
    public string? PeerCertSubject { get; init; }
}
