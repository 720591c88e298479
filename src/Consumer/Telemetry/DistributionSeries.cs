using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>
/// One series of a distribution. Each thread counts in a place of its own, so that counting needs neither a lock nor another core's cache;
/// whoever reads adds them up. Any thread.
/// </summary>
internal sealed class DistributionSeries
{
    // So that what two threads count never lies in one cache line.
    private const int Padding = 8;
    private const int MostPlaces = 64;

    private static int s_threads;

    [ThreadStatic]
    private static int t_number;

    private readonly Distributions _owner;
    private readonly Histogram<double> _instrument;
    private readonly TagList _tags;
    private readonly long[] _bounds;
    private readonly long[]?[] _places = new long[]?[MostPlaces];
    private readonly long[] _common;
    private readonly DistributionExample?[] _examples;

    internal DistributionSeries(Distributions owner, Histogram<double> instrument, long[] bounds, KeyValuePair<string, object?>[] tags)
    {
        (_owner, _instrument, _bounds) = (owner, instrument, bounds);
        _tags = new TagList(tags);
        _common = NewPlace();
        _examples = new DistributionExample?[_bounds.Length + 1];
        Tags = tags;
    }

    public IReadOnlyList<KeyValuePair<string, object?>> Tags { get; }

    /// <summary>Adds what each bucket has counted, the last of them what is beyond all bounds, and returns the sum in seconds.</summary>
    public double Read(Span<long> counts)
    {
        var ticks = AddUp(_common, counts);
        foreach (var place in _places)
        {
            if (place is not null)
                ticks += AddUp(place, counts);
        }

        return ticks / TimeSpan.TicksPerSecond;
    }

    /// <summary>The newest trace of a duration in that bucket, where one was traced.</summary>
    public DistributionExample? ExampleOf(int bucket) => Volatile.Read(ref _examples[bucket]);

    /// <summary>Counts a duration, for as many as it stands for, and keeps it as an example where it was traced.</summary>
    internal void Record(TimeSpan duration, Activity? span = null, int weight = 1)
    {
        Count(duration, weight);
        if (span is { Recorded: true } && _owner.IsRead)
            Exemplify(duration, span.TraceId, span.SpanId);
    }

    internal void Record(TimeSpan duration, in ActivityContext trace)
    {
        Count(duration, weight: 1);
        if (trace.IsRecorded() && _owner.IsRead)
            Exemplify(duration, trace.TraceId, trace.SpanId);
    }

    private void Count(TimeSpan duration, int weight)
    {
        // Where two clocks disagree, something may seem to have ended before it began; a sum that falls would be taken for a restart.
        if (duration < TimeSpan.Zero)
            duration = TimeSpan.Zero;
        if (_owner.IsRead)
            Count(BucketOf(duration.Ticks), (double)duration.Ticks * weight, weight);
        if (_instrument.Enabled)
            Publish(duration);
    }

    private void Publish(TimeSpan duration)
    {
        try
        {
            _instrument.Record(duration.TotalSeconds, _tags);
        }
        catch (Exception problem)
        {
            _owner.NoteListenerFailed(problem);
        }
    }

    private void Exemplify(TimeSpan duration, ActivityTraceId trace, ActivitySpanId span) =>
        Volatile.Write(ref _examples[BucketOf(duration.Ticks)], new(trace, span, duration.TotalSeconds, _owner.Now));

    private int BucketOf(long ticks)
    {
        var bucket = 0;
        while (bucket < _bounds.Length && ticks > _bounds[bucket])
            bucket++;
        return bucket;
    }

    private void Count(int bucket, double ticks, int weight)
    {
        var sum = Padding + _bounds.Length + 1;
        var number = t_number != 0 ? t_number : t_number = Interlocked.Increment(ref s_threads);
        if (number < MostPlaces)
        {
            var place = _places[number] ?? NewPlaceFor(number);
            place[Padding + bucket] += weight;
            place[sum] = Added(place[sum], ticks);
        }
        else
        {
            Interlocked.Add(ref _common[Padding + bucket], weight);
            long before;
            do
                before = Volatile.Read(ref _common[sum]);
            while (Interlocked.CompareExchange(ref _common[sum], Added(before, ticks), before) != before);
        }
    }

    private long[] NewPlaceFor(int number)
    {
        var place = NewPlace();
        Volatile.Write(ref _places[number], place);
        return place;
    }

    private long[] NewPlace() => new long[Padding + _bounds.Length + 2 + Padding];

    // Beside the counts lies their sum, as a double's bits: a long of ticks would be full within days where thousands of messages a second had waited for an hour.
    private static long Added(long sum, double ticks) => BitConverter.DoubleToInt64Bits(BitConverter.Int64BitsToDouble(sum) + ticks);

    private double AddUp(long[] place, Span<long> counts)
    {
        for (var bucket = 0; bucket <= _bounds.Length; bucket++)
            counts[bucket] += Volatile.Read(ref place[Padding + bucket]);
        return BitConverter.Int64BitsToDouble(Volatile.Read(ref place[Padding + _bounds.Length + 1]));
    }
}
