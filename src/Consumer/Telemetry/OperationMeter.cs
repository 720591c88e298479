using System.Collections.Concurrent;
using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>How long one kind of operation took on one queue: what went well is one series, there from the start; each type of error has another. Any thread.</summary>
internal sealed class OperationMeter(Distribution distribution, ErrorTypes errors, params KeyValuePair<string, object?>[] tags)
{
    private readonly DistributionSeries _done = distribution.Add(tags);

    // Several threads may find at once that there is none, and a series that was added stays: so only the one that is kept makes it.
    private readonly ConcurrentDictionary<string, Lazy<DistributionSeries>> _failed = new(StringComparer.Ordinal);

    /// <param name="duration">How long it took.</param>
    /// <param name="span">The span that was made of it.</param>
    /// <param name="weight">For how many it stands.</param>
    public void Done(TimeSpan duration, Activity? span = null, int weight = 1) => _done.Record(duration, span, weight);

    public void Done(TimeSpan duration, in ActivityContext trace) => _done.Record(duration, in trace);

    public void Failed(Exception error, TimeSpan duration, Activity? span = null) => Failed(errors.Of(error), duration, span);

    public void Failed(string error, TimeSpan duration, Activity? span) =>
        _failed.GetOrAdd(error, NewFailed).Value.Record(duration, span);

    private Lazy<DistributionSeries> NewFailed(string error) => new(() => distribution.Add([.. tags, new(Names.ErrorType, error)]));
}
