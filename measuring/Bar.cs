namespace Holdfast.Measuring;

/// <summary>One bar of a chart: data alone, for one process measures it and another one draws.</summary>
/// <param name="Group">What is compared; a heading over its bars.</param>
/// <param name="Name">Whose it is.</param>
/// <param name="Value">Its length, and the least and the most that a round showed.</param>
/// <param name="Note">What else is to be said of it, at its end.</param>
internal sealed record Bar(string Group, string Name, Reading Value, string Note = "")
{
    /// <summary>Whether it is drawn as Holdfast's.</summary>
    public bool IsOurs { get; init; }

    /// <summary>Whether its value is a time in seconds, to be written in the unit that suits it.</summary>
    public bool IsTime { get; init; }

    /// <summary>What is written at its end.</summary>
    public string Label => Note.Length > 0 ? $"{Shown}, {Note}" : Shown;

    private string Shown => IsTime ? Number.Seconds(Value.Value) : Number.Show(Value.Value);
}
