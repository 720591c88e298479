using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>
/// All distributions of an engine, for an exporter that reads them. They are also recorded into instruments of the same names,
/// for whoever listens to those.
/// </summary>
public sealed class Distributions(TimeProvider time)
{
    private readonly Lock _gate = new();
    private volatile Distribution[] _all = [];

    /// <summary>Whether somebody reads them: until then nothing is counted.</summary>
    public bool IsRead { get; set; }

    public IReadOnlyList<Distribution> All => _all;

    internal DateTimeOffset Now => time.GetUtcNow();

    internal Distribution Add(Histogram<double> instrument, double[] bounds)
    {
        lock (_gate)
        {
            var added = new Distribution(this, instrument, bounds);
            _all = [.. _all, added];
            return added;
        }
    }
}
