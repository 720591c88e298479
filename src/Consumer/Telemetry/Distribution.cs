using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>Durations of one kind, counted into buckets: a histogram whose series are there from the start. Read at each scrape.</summary>
internal sealed class Distribution
{
    private readonly Lock _gate = new();
    private readonly Distributions _owner;
    private readonly Histogram<double> _instrument;
    private readonly long[] _boundsInTicks;
    private volatile DistributionSeries[] _series = [];

    internal Distribution(Distributions owner, Histogram<double> instrument, double[] bounds)
    {
        (_owner, _instrument) = (owner, instrument);
        Bounds = bounds;
        _boundsInTicks = [.. bounds.Select(bound => TimeSpan.FromSeconds(bound).Ticks)];
    }

    public string Meter => _instrument.Meter.Name;

    public string Name => _instrument.Name;

    public string Unit => _instrument.Unit!;

    public string Description => _instrument.Description!;

    /// <summary>What falls into a bucket is at most so many seconds, and more than the bound before.</summary>
    public IReadOnlyList<double> Bounds { get; }

    public IReadOnlyList<DistributionSeries> Series => _series;

    /// <summary>Whether somebody listens to the instrument of the same name.</summary>
    internal bool IsListenedTo => _instrument.Enabled;

    internal DistributionSeries Add(params KeyValuePair<string, object?>[] tags)
    {
        lock (_gate)
        {
            var added = new DistributionSeries(_owner, _instrument, _boundsInTicks, tags);
            _series = [.. _series, added];
            return added;
        }
    }
}
