namespace Holdfast.Tests.Worlds;

/// <summary>One message, and what its handler does with it.</summary>
internal sealed record MessagePlan
{
    public required int Queue { get; init; }

    public required TimeSpan SentAt { get; init; }

    public required byte Priority { get; init; }

    public required Step[] Steps { get; init; }

    public required Ending Ending { get; init; }

    /// <summary>How many attempts end so; those that follow complete.</summary>
    public required int Failures { get; init; }

    /// <summary>Whether its handler lets go when it is called off.</summary>
    public required bool HeedsToken { get; init; }

    /// <summary>How many bytes its body has, beside what tells it from others.</summary>
    public int Size { get; init; }

    /// <summary>Its id, which others may have as well; empty where it has none, and null where it is its number.</summary>
    public string? Id { get; init; }

    /// <summary>Whether it can be known again when it is delivered again.</summary>
    public bool IsNamed => Id != "";

    /// <summary>Whether nobody can read it.</summary>
    public bool IsGarbled { get; init; }

    /// <summary>How many messages of its own each attempt of its handler publishes.</summary>
    public int Notices { get; init; }
}

/// <summary>One thing that a handler does.</summary>
internal readonly record struct Step(StepKind Kind, TimeSpan Time)
{
    public override string ToString() => $"{Kind} {Time.TotalMilliseconds:0} ms";
}

/// <summary>What a handler does for a while.</summary>
internal enum StepKind
{
    /// <summary>Burns CPU on its thread.</summary>
    Burn,

    /// <summary>Awaits something, and comes back to its lane.</summary>
    Wait,

    /// <summary>Holds its thread without burning CPU.</summary>
    Block,

    /// <summary>Burns CPU on a thread of the pool, and never comes back to its lane by itself.</summary>
    Escape,
}

/// <summary>How a handler ends.</summary>
internal enum Ending
{
    Complete,
    Abandon,
    Delay,
    DeadLetter,
    Throw,
    Unreadable,
}
