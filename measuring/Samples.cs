namespace Holdfast.Measuring;

/// <summary>Measured values, in order, and their percentiles by nearest rank.</summary>
internal sealed class Samples
{
    private readonly double[] _sorted;

    public Samples(IEnumerable<double> values)
    {
        _sorted = [.. values];
        Array.Sort(_sorted);
    }

    public int Count => _sorted.Length;

    public double Max => At(100);

    /// <summary>Not a number where there are no samples.</summary>
    public double At(double percent) =>
        Count == 0 ? double.NaN : _sorted[Math.Clamp((int)Math.Ceiling(percent / 100 * Count) - 1, 0, Count - 1)];
}
