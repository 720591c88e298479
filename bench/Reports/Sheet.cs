namespace Holdfast.Bench;

/// <summary>A case's table, as it fills.</summary>
internal sealed class Sheet(Case one, bool isQuick)
{
    private const string Verdict = "";

    public string Title => one.Name;

    public string About => one.About;

    public string[] Columns => [.. one.Columns, "bound", Verdict];

    public List<Row> Rows { get; } = [];

    public List<string> Notes { get; } = [];

    public bool IsBroken { get; private set; }

    public int Bounds => Rows.Count(row => row.Holds is not null);

    public int Broken => Rows.Count(row => row.Holds is false);

    public void Add(Part part, Outcome? outcome)
    {
        if (outcome is null)
        {
            IsBroken = true;
            Notes.Add($"{part.Name}: broke; its error is above.");
            return;
        }

        // A smoke run is too short to judge by.
        Rows.AddRange(isQuick ? outcome.Rows.Select(row => row with { Holds = null }) : outcome.Rows);
        Notes.Add($"{part.Name}: {string.Join("; ", outcome.Notes)}.");
    }

    public static string VerdictOf(Row row) => row.Holds switch
    {
        true => "holds",
        false => "does not hold",
        null => "",
    };
}
