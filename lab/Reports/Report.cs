namespace Holdfast.Lab;

/// <summary>What an experiment found, for the terminal and for the page.</summary>
/// <param name="Published">What was published, in prose.</param>
/// <param name="Tables">The figures, the published ones beside ours.</param>
/// <param name="Findings">What ours say, what Holdfast does about it, and how honest the comparison is: a paragraph each, in Markdown.</param>
internal sealed record Report(string Published, ReportTable[] Tables, string[] Findings)
{
    public ReportChart[] Charts { get; init; } = [];

    /// <summary>What is to be known of the run itself: a line each.</summary>
    public string[] Notes { get; init; } = [];
}

/// <summary>A table, and the line above it.</summary>
internal sealed record ReportTable(string Caption, string[] Columns, string[][] Rows);

/// <summary>A chart: its file is named after the experiment and, where there are several, after it.</summary>
internal sealed record ReportChart(string Name, string Caption, string Svg);
