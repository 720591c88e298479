using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>What is counted and measured of sending to one queue. Any thread.</summary>
internal sealed class SendMeter
{
    private readonly ErrorTypes _errors;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly ConcurrentDictionary<string, Tally> _failed = new(StringComparer.Ordinal);
    private readonly OperationMeter _operation;
    private long _sent;

    public SendMeter(HoldfastMeter meter, string system, string queue)
    {
        _errors = meter.Errors;
        _tags = Spans.Tags(system, queue, Names.Publish, null);
        _operation = new(meter.Operation, meter.Errors, Spans.Tags(system, queue, Names.Publish, Names.Send));
    }

    public void Done(TimeSpan duration)
    {
        Interlocked.Increment(ref _sent);
        _operation.Done(duration);
    }

    public void Failed(Exception error, TimeSpan duration)
    {
        Interlocked.Increment(ref _failed.GetOrAdd(_errors.Of(error), _ => new()).Count);
        _operation.Failed(error, duration);
    }

    public IEnumerable<Measurement<long>> Sent() =>
        _failed.Select(failed => new Measurement<long>(Volatile.Read(ref failed.Value.Count), [.. _tags, new(Names.ErrorType, failed.Key)]))
            .Prepend(new(Volatile.Read(ref _sent), _tags));

    private sealed class Tally
    {
        public long Count;
    }
}
