using System.Collections.Concurrent;
using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>How long one kind of operation took on one queue: what went well is one series, there from the start; each type of error has another. Any thread.</summary>
internal sealed class OperationMeter(Distribution distribution, ErrorTypes errors, params KeyValuePair<string, object?>[] tags)
{
    private readonly DistributionSeries _done = distribution.Add(tags);
    private readonly ConcurrentDictionary<string, DistributionSeries> _failed = new(StringComparer.Ordinal);

    /// <param name="duration">How long it took.</param>
    /// <param name="span">The span that was made of it.</param>
    /// <param name="weight">For how many it stands.</param>
    public void Done(TimeSpan duration, Activity? span = null, int weight = 1) => _done.Record(duration, span, weight);

    public void Done(TimeSpan duration, in ActivityContext trace) => _done.Record(duration, in trace);

    public void Failed(Exception error, TimeSpan duration, Activity? span = null) =>
        _failed.GetOrAdd(errors.Of(error), AddFailed).Record(duration, span);

    private DistributionSeries AddFailed(string error) => distribution.Add([.. tags, new(Names.ErrorType, error)]);
}
