namespace Holdfast.Tests.Simulation.Mutants;

/// <summary>A broken variant of the engine: its real sources, with one edit.</summary>
internal sealed record Mutant(string Name, string Project, string File, string Old, string New)
{
    /// <summary>The file's text with the edit. An edit that no longer applies is worth nothing, and must be looked at.</summary>
    public string Edit(string source)
    {
        var at = source.IndexOf(Old, StringComparison.Ordinal);
        if (at < 0 || source.IndexOf(Old, at + 1, StringComparison.Ordinal) >= 0)
            throw new InvalidOperationException($"'{Name}' is to edit {Project}/{File}, where its text must be found exactly once:\n{Old}");
        return source.Replace(Old, New, StringComparison.Ordinal);
    }
}
