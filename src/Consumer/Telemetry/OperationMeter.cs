using System.Collections.Concurrent;
using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>How long one kind of operation took on one queue: what went well is one series, there from the start; each type of error has another. Any thread.</summary>
internal sealed class OperationMeter(Distribution distribution, ErrorTypes errors, params KeyValuePair<string, object?>[] tags)
{
    private readonly DistributionSeries _done = distribution.Add(tags);
    private readonly ConcurrentDictionary<string, DistributionSeries> _failed = new(StringComparer.Ordinal);

    public void Done(TimeSpan duration, ActivityContext trace = default) => _done.Record(duration, trace);

    public void Failed(Exception error, TimeSpan duration, ActivityContext trace = default) =>
        _failed.GetOrAdd(errors.Of(error), AddFailed).Record(duration, trace);

    private DistributionSeries AddFailed(string error) => distribution.Add([.. tags, new(Names.ErrorType, error)]);
}
