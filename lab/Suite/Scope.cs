namespace Holdfast.Lab;

/// <summary>How an experiment is to be run.</summary>
internal sealed record Scope
{
    public const int DefaultSeed = 1;

    /// <summary>Whether real time is wanted where there is a choice.</summary>
    public bool IsReal { get; init; }

    /// <summary>What all that is random is drawn from.</summary>
    public int Seed { get; init; } = DefaultSeed;

    /// <summary>Whether it is only to be seen that all of it runs.</summary>
    public bool IsQuick { get; init; }

    /// <summary>As it is written on the command line, behind the experiment's name.</summary>
    public string Options => $"{(IsReal ? " --real" : "")}{(Seed != DefaultSeed ? $" --seed {Seed}" : "")}{(IsQuick ? " --quick" : "")}";

    public T Pick<T>(T full, T quick) => IsQuick ? quick : full;
}
