namespace Holdfast.Tests.Servers;

/// <summary>A queue, as the server sees it.</summary>
public sealed record RabbitQueue
{
    public required string Name { get; init; }

    /// <summary>Such as classic or quorum.</summary>
    public string? Type { get; init; }

    public int Consumers { get; init; }

    public long MessagesReady { get; init; }
}
