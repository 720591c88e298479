namespace Holdfast.Bench;

/// <summary>A case's table, as it fills.</summary>
internal sealed class Sheet(Case one, bool isQuick)
{
    private const string VerdictColumn = "";

    public string Title => one.Name;

    public string About => one.About;

    public string[] Columns => [.. one.Columns, "bound", VerdictColumn];

    public List<(Row Row, Verdict Verdict)> Rows { get; } = [];

    public List<Bar> Bars { get; } = [];

    public List<string> Notes { get; } = [];

    /// <summary>Whether a part could not be measured.</summary>
    public bool IsBroken { get; private set; }

    public void Add(Part part, Outcome? outcome)
    {
        if (outcome is null)
        {
            IsBroken = true;
            Notes.Add($"{part.Name}: broke; its error is above.");
            return;
        }

        // A smoke run is too short to judge by.
        Rows.AddRange(outcome.Rows.Select(row => (row, isQuick ? Verdict.None : Verdicts.Of(row, outcome.OtherCpus))));
        Bars.AddRange(outcome.Bars);
        Notes.Add($"{part.Name}: {string.Join("; ", outcome.Notes)}.");
    }
}
