using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>
/// All distributions of an engine, for an exporter that reads them. They are also recorded into instruments of the same names,
/// for whoever listens to those.
/// </summary>
internal sealed class Distributions(TimeProvider time)
{
    private readonly Lock _gate = new();
    private volatile Distribution[] _all = [];
    private int _hasListenerFailed;

    /// <summary>Whether somebody reads them: until then nothing is counted.</summary>
    public bool IsRead { get; set; }

    public IReadOnlyList<Distribution> All => _all;

    internal DateTimeOffset Now => time.GetUtcNow();

    /// <summary>Told of the first time that a listener throws. Must not wait.</summary>
    internal Action<Exception>? ListenerFailed { get; set; }

    /// <summary>Whoever listens runs his code in ours, and what he throws must end neither a turn nor the lease loop.</summary>
    internal void NoteListenerFailed(Exception problem)
    {
        if (Interlocked.Exchange(ref _hasListenerFailed, 1) == 0)
            ListenerFailed?.Invoke(problem);
    }

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
