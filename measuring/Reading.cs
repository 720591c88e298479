namespace Holdfast.Measuring;

/// <summary>One quantity over all rounds: its headline, and the least and the most that a single round showed.</summary>
internal sealed record Reading(double Value, double Least, double Most)
{
    public static Reading Median(IEnumerable<double> rounds)
    {
        var samples = new Samples(rounds);
        return new(samples.At(50), samples.At(0), samples.Max);
    }

    /// <summary>A percentile over the samples of all rounds, beside the same of each round.</summary>
    public static Reading Percentile(double percent, IReadOnlyCollection<double[]> rounds)
    {
        double[] each = [.. rounds.Select(round => new Samples(round).At(percent))];
        return new(new Samples(rounds.SelectMany(round => round)).At(percent), each.Min(), each.Max());
    }

    /// <summary>Round by round, so that what disturbed one round disturbed both its sides.</summary>
    public static Reading Ratio(IEnumerable<double> ours, IEnumerable<double> theirs) =>
        Median(ours.Zip(theirs, (our, their) => our / their));

    /// <summary>The three in words of the caller's; the least and the most only where they differ.</summary>
    public string Show(Func<double, string> show) => Most > Least ? $"{show(Value)} ({show(Least)} - {show(Most)})" : show(Value);

    public override string ToString() => $"{Number.Show(Value)} ({Number.Show(Least)} - {Number.Show(Most)})";
}
