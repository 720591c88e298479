using System.Diagnostics;
using System.Diagnostics.Metrics;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class DistributionTests : IDisposable
{
    private readonly Meter _meter = new("distribution-tests");
    private readonly Distributions _all = new(new VirtualTime()) { IsRead = true };
    private readonly DistributionSeries _series;

    public DistributionTests() =>
        _series = _all.Add(_meter.CreateHistogram<double>("waits", "s", "How long."), [0, 0.5, 1]).Add(new KeyValuePair<string, object?>("queue", "orders"));

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void A_series_is_there_before_anything_was_measured()
    {
        var distribution = Assert.Single(_all.All);

        Assert.Equal(("waits", "s", "How long."), (distribution.Name, distribution.Unit, distribution.Description));
        Assert.Equal(("queue", "orders"), (Assert.Single(Assert.Single(distribution.Series).Tags).Key, Assert.Single(_series.Tags).Value));
        Reads([0, 0, 0, 0], 0);
    }

    [Fact]
    public void What_is_just_at_a_bound_falls_below_it_and_what_is_beyond_all_counts_too()
    {
        foreach (var seconds in new[] { -0.25, 0, 0.5, 0.75, 1, 7 })
            _series.Record(TimeSpan.FromSeconds(seconds));

        Reads([2, 1, 2, 1], 9.25);
    }

    [Fact]
    public void A_sum_never_falls_where_two_clocks_disagree()
    {
        _series.Record(TimeSpan.FromSeconds(0.5));
        _series.Record(TimeSpan.FromHours(-1), weight: 64);

        Reads([64, 1, 0, 0], 0.5);
    }

    [Fact]
    public void A_sum_never_overflows_however_long_and_many_they_were()
    {
        var age = TimeSpan.FromDays(400_000);
        for (var i = 0; i < 100; i++)
            _series.Record(age, weight: 64);

        Reads([0, 0, 0, 6_400], 6_400 * age.TotalSeconds);
    }

    [Fact]
    public void One_that_stands_for_many_counts_for_them()
    {
        _series.Record(TimeSpan.FromSeconds(0.75), weight: 64);
        Reads([0, 0, 64, 0], 48);
    }

    [Fact]
    public void Nothing_is_counted_for_as_long_as_nobody_reads()
    {
        _all.IsRead = false;
        _series.Record(TimeSpan.FromSeconds(1));
        Reads([0, 0, 0, 0], 0);
    }

    [Fact]
    public void What_many_threads_count_at_once_adds_up()
    {
        // More of them than have places of their own.
        var threads = Enumerable.Range(0, 100).Select(_ => new Thread(() =>
        {
            for (var i = 0; i < 1_000; i++)
                _series.Record(TimeSpan.FromSeconds(0.75));
        })).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();

        Reads([0, 0, 100_000, 0], 75_000);
    }

    [Fact]
    public void A_recorded_trace_is_kept_as_its_buckets_newest_example()
    {
        var (trace, span) = (ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom());
        _series.Record(TimeSpan.FromSeconds(0.6), new ActivityContext(ActivityTraceId.CreateRandom(), span, ActivityTraceFlags.Recorded));
        _series.Record(TimeSpan.FromSeconds(0.7), new ActivityContext(trace, span, ActivityTraceFlags.Recorded));
        _series.Record(TimeSpan.FromSeconds(0.8), new ActivityContext(ActivityTraceId.CreateRandom(), span, ActivityTraceFlags.None));

        Assert.Equal((trace, span, 0.7), (_series.ExampleOf(2)!.TraceId, _series.ExampleOf(2)!.SpanId, _series.ExampleOf(2)!.Seconds));
        Assert.Null(_series.ExampleOf(1));
    }

    [Theory]
    [InlineData(ActivityTraceFlags.Recorded)]
    [InlineData(ActivityTraceFlags.None)]
    public void So_is_the_span_that_was_measured_where_it_is_recorded(ActivityTraceFlags flags)
    {
        using var span = new Activity("work") { ActivityTraceFlags = flags }.Start();

        _series.Record(TimeSpan.FromSeconds(0.7), span);

        Assert.Equal(flags == ActivityTraceFlags.Recorded ? span.SpanId : default(ActivitySpanId?), _series.ExampleOf(2)?.SpanId);
    }

    [Fact]
    public void Who_listens_to_the_instrument_hears_the_same()
    {
        List<(double Seconds, string Tag)> heard = [];
        using var listener = Listen((seconds, tag) => heard.Add((seconds, tag)));

        _series.Record(TimeSpan.FromSeconds(0.75));

        Assert.Equal([(0.75, "queue=orders")], heard);
    }

    [Fact]
    public void A_listener_that_throws_is_told_of_once_and_what_is_counted_stays_right()
    {
        List<string> told = [];
        _all.ListenerFailed = problem => told.Add(problem.Message);
        using var listener = Listen((_, _) => throw new InvalidOperationException("This listener is broken."));

        _series.Record(TimeSpan.FromSeconds(0.75));
        _series.Record(TimeSpan.FromSeconds(0.75));

        Reads([0, 0, 2, 0], 1.5);
        Assert.Equal(["This listener is broken."], told);
    }

    private MeterListener Listen(Action<double, string> hear)
    {
        var listener = new MeterListener();
        listener.SetMeasurementEventCallback<double>((_, seconds, tags, _) => hear(seconds, $"{tags[0].Key}={tags[0].Value}"));
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (ReferenceEquals(instrument.Meter, _meter))
                self.EnableMeasurementEvents(instrument);
        };
        listener.Start();
        return listener;
    }

    private void Reads(long[] expected, double sum)
    {
        var counts = new long[4];
        Assert.Equal(sum, _series.Read(counts));
        Assert.Equal(expected, counts);
    }
}
