namespace Holdfast.Lab;

/// <summary>How an experiment is to be run.</summary>
internal sealed record Scope
{
    public static Scope Default { get; } = new();

    /// <summary>Whether real time is wanted where there is a choice.</summary>
    public bool IsReal { get; init; }

    /// <summary>How many times faster than it was published something is told in real time.</summary>
    public int Faster { get; init; } = 20;

    /// <summary>What all that is random is drawn from.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>Whether it is only to be seen that all of it runs.</summary>
    public bool IsQuick { get; init; }

    /// <summary>As it is written on the command line, behind the experiment's name.</summary>
    public string Options => string.Concat(
        IsReal ? " --real" : "",
        Faster != Default.Faster ? $" --faster {Faster}" : "",
        Seed != Default.Seed ? $" --seed {Seed}" : "",
        IsQuick ? " --quick" : "");

    public T Pick<T>(T full, T quick) => IsQuick ? quick : full;
}
