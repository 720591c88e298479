namespace Holdfast.Broker.ServiceBus;

/// <summary>What a connection string says.</summary>
internal sealed class ConnectionSettings
{
    public required NamespaceAddress Address { get; init; }

    /// <summary>The one entity that the credentials are for, where they are for one.</summary>
    public string? EntityPath { get; init; }

    public SharedAccessKey? Key { get; init; }

    /// <summary>A token that somebody else has signed.</summary>
    public Token? Signature { get; init; }
}
