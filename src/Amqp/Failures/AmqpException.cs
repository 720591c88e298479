namespace Holdfast.Amqp;

/// <summary>A connection, session or link ended, was refused, or can't do what was asked; with the condition that the peer gave, or that was given to it.</summary>
public sealed class AmqpException(AmqpLevel level, Symbol? condition, string? description, Exception? cause = null)
    : Exception(Sentence(condition, description), cause)
{
    // What the peer is told may quote what it sent, and must fit into the smallest frame.
    private const int LongestDescription = 150;

    /// <summary>What ended: everything within it ended with it.</summary>
    public AmqpLevel Level { get; } = level;

    /// <summary>Null where nothing went wrong at either end's hand: an orderly close, or a socket that broke.</summary>
    public Symbol? Condition { get; } = condition;

    public string? Description { get; } = description;

    /// <summary>Whether it was the peer who ended it.</summary>
    public bool IsFromPeer { get; init; }

    /// <summary>What else the peer told about it.</summary>
    public AmqpError? Error { get; init; }

    internal static AmqpException FromPeer(AmqpLevel level, AmqpError? error) =>
        new(level, error?.Condition, error is null ? $"The peer closed the {level.ToString().ToLowerInvariant()}." : error.Description) { IsFromPeer = true, Error = error };

    /// <summary>The same, for another who is told of it.</summary>
    internal AmqpException Again() => new(Level, Condition, Description, InnerException ?? this) { IsFromPeer = IsFromPeer, Error = Error };

    /// <summary>What the peer is told of it.</summary>
    internal AmqpError ToError() => new(Condition ?? ErrorConditions.InternalError, Description?.Length > LongestDescription ? Description[..LongestDescription] : Description);

    private static string Sentence(Symbol? condition, string? description) => (condition, description) switch
    {
        ({ } name, { Length: > 0 } text) => $"{name}: {text}",
        ({ } name, _) => $"{name}",
        (null, { Length: > 0 } text) => text,
        _ => "The AMQP peer gave no reason.",
    };
}
