using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Which metrics share a header, worked out once for as long as the metrics stay the same.</summary>
internal sealed class FamilyPlan
{
    private readonly List<Metric> _metrics = [];
    private readonly Dictionary<string, Family> _owners = new(StringComparer.Ordinal);

    private FamilyPlan()
    {
    }

    public List<Family> Families { get; } = [];

    /// <summary>What can't be shown, because its name is taken by something of another kind.</summary>
    public List<string> Conflicts { get; } = [];

    public static FamilyPlan For(in Batch<Metric> batch)
    {
        var plan = new FamilyPlan();
        foreach (var metric in batch)
        {
            plan._metrics.Add(metric);
            plan.Add(metric);
        }

        return plan;
    }

    public bool Fits(in Batch<Metric> batch)
    {
        if (batch.Count != _metrics.Count)
            return false;
        var at = 0;
        foreach (var metric in batch)
        {
            if (!ReferenceEquals(metric, _metrics[at++]))
                return false;
        }

        return true;
    }

    private void Add(Metric metric)
    {
        var family = new Family(metric);
        if (_owners.TryGetValue(family.Name, out var owner) && (owner.Name, owner.Kind) == (family.Name, family.Kind))
            owner.Metrics.Add(metric);
        else if (Names(family).FirstOrDefault(_owners.ContainsKey) is { } taken)
            Conflicts.Add($"{Full(metric)} is not among the metrics: the name {taken} belongs to {Full(_owners[taken].Metrics[0])}");
        else
        {
            Families.Add(family);
            foreach (var name in Names(family))
                _owners[name] = family;
        }
    }

    private static string Full(Metric metric) => $"{metric.MeterName}'s {metric.Name}";

    private static IEnumerable<string> Names(Family family) => family.SampleNames.Append(family.Name).Distinct();
}
