using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Holdfast.Consumer;

/// <summary>
/// One series of a distribution. Each thread counts in a place of its own, so that counting needs neither a lock nor another core's cache;
/// whoever reads adds them up. Any thread.
/// </summary>
public sealed class DistributionSeries
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

    internal DistributionSeries(Distributions owner, Histogram<double> instrument, IReadOnlyList<double> bounds, KeyValuePair<string, object?>[] tags)
    {
        (_owner, _instrument) = (owner, instrument);
        _tags = new TagList(tags);
        _bounds = [.. bounds.Select(bound => TimeSpan.FromSeconds(bound).Ticks)];
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

        return (double)ticks / TimeSpan.TicksPerSecond;
    }

    /// <summary>The newest trace of a duration in that bucket, where one was traced.</summary>
    public DistributionExample? ExampleOf(int bucket) => Volatile.Read(ref _examples[bucket]);

    internal void Record(TimeSpan duration, ActivityContext trace = default)
    {
        if (_owner.IsRead)
            Count(duration, trace);
        if (_instrument.Enabled)
            _instrument.Record(duration.TotalSeconds, _tags);
    }

    private void Count(TimeSpan duration, ActivityContext trace)
    {
        var ticks = duration.Ticks;
        var bucket = 0;
        while (bucket < _bounds.Length && ticks > _bounds[bucket])
            bucket++;

        var number = t_number != 0 ? t_number : t_number = Interlocked.Increment(ref s_threads);
        if (number < MostPlaces)
        {
            var place = _places[number] ?? NewPlaceFor(number);
            place[Padding + bucket]++;
            place[Padding + _bounds.Length + 1] += ticks;
        }
        else
        {
            Interlocked.Increment(ref _common[Padding + bucket]);
            Interlocked.Add(ref _common[Padding + _bounds.Length + 1], ticks);
        }

        if ((trace.TraceFlags & ActivityTraceFlags.Recorded) != 0)
            Volatile.Write(ref _examples[bucket], new(trace.TraceId, trace.SpanId, duration.TotalSeconds, _owner.Now));
    }

    private long[] NewPlaceFor(int number)
    {
        var place = NewPlace();
        Volatile.Write(ref _places[number], place);
        return place;
    }

    private long[] NewPlace() => new long[Padding + _bounds.Length + 2 + Padding];

    private long AddUp(long[] place, Span<long> counts)
    {
        for (var bucket = 0; bucket <= _bounds.Length; bucket++)
            counts[bucket] += Volatile.Read(ref place[Padding + bucket]);
        return Volatile.Read(ref place[Padding + _bounds.Length + 1]);
    }
}
