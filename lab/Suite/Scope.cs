namespace Holdfast.Lab;

/// <summary>How an experiment is to be run.</summary>
internal sealed record Scope
{
    /// <summary>Whether real time is wanted where there is a choice.</summary>
    public bool IsReal { get; init; }

    /// <summary>What all that is random is drawn from.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>How many times faster than it was published something is told in real time.</summary>
    public int Faster { get; init; } = 20;

    /// <summary>Whether it is only to be seen that all of it runs.</summary>
    public bool IsQuick { get; init; }

    /// <summary>What was said on the command line to have it so, each with a space before it.</summary>
    public string Options
    {
        get
        {
            var plain = new Scope();
            return $"{(IsReal ? " --real" : "")}{(Faster != plain.Faster ? $" --faster {Faster}" : "")}{(Seed != plain.Seed ? $" --seed {Seed}" : "")}{(IsQuick ? " --quick" : "")}";
        }
    }

    public T Pick<T>(T full, T quick) => IsQuick ? quick : full;
}
