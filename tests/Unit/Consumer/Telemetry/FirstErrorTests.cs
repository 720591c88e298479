using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What several threads meet for the first time at once: what is added then stays for as long as the process does.</summary>
public sealed class FirstErrorTests
{
    private const int Threads = 4;

    // A series takes the longer to make the more bounds it has: so all threads are there before the first has made one.
    private static readonly double[] s_bounds = [.. Enumerable.Range(0, 100_000).Select(n => n / 1000.0)];

    [Fact]
    public void Of_an_error_there_is_one_series_and_it_counts_for_all_threads()
    {
        using var meter = new Meter("first-error-tests");
        var all = new Distributions(TimeProvider.System) { IsRead = true };
        var rounds = Enumerable.Range(0, 10).Select(n => all.Add(meter.CreateHistogram<double>($"waits-{n}", "s", "How long."), s_bounds)).ToArray();
        var operations = rounds.Select(distribution => new OperationMeter(distribution, new ErrorTypes(), HoldfastMeter.Tag("orders"))).ToArray();

        Race(operations, operation => operation.Failed(new BrokerException("No.", isTransient: true), TimeSpan.FromSeconds(1)));

        Assert.All(rounds, distribution => Assert.Equal([0, Threads], CountsOf(distribution)));
    }

    [Fact]
    public void Of_a_queue_that_is_sent_to_there_is_one_series_and_it_counts_for_all_threads()
    {
        const int Queues = 90;
        var meters = Enumerable.Range(0, 50).Select(_ => new HoldfastMeter(new(TimeProvider.System) { IsRead = true })).ToList();

        Race(meters, meter =>
        {
            for (var n = 0; n < Queues; n++)
                meter.Sends("inmemory", $"reply-{n}").Done(TimeSpan.FromSeconds(1));
        });

        Assert.All(meters, meter => Assert.Equal(Enumerable.Repeat<long>(Threads, Queues), CountsOf(meter.Operation)));
        meters.ForEach(meter => meter.Dispose());
    }

    private static void Race<T>(IReadOnlyList<T> rounds, Action<T> act)
    {
        using var start = new Barrier(Threads);
        var crowd = Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
        {
            foreach (var round in rounds)
            {
                start.SignalAndWait();
                act(round);
            }
        })).ToList();
        crowd.ForEach(thread => thread.Start());
        crowd.ForEach(thread => thread.Join());
    }

    private static IEnumerable<long> CountsOf(Distribution distribution)
    {
        foreach (var series in distribution.Series)
        {
            var counts = new long[distribution.Bounds.Count + 1];
            series.Read(counts);
            yield return counts.Sum();
        }
    }
}
