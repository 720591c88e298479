namespace Holdfast.Measuring;

/// <summary>One line of a chart, its points from left to right.</summary>
internal sealed record Series(string Name, IReadOnlyList<(double X, double Y)> Points);
