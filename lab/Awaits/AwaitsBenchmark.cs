using BenchmarkDotNet.Attributes;
using Holdfast.Scheduling;

namespace Holdfast.Lab.Awaits;

/// <summary>The seven methods as BenchmarkDotNet runs them: as they are, and each on a strand of a lane.</summary>
public class AwaitsBenchmark
{
    private Strand? _strand;

    /// <summary>Whether they run on a lane, or on the thread that calls them and from the first await on on the pool.</summary>
    [Params(false, true)]
    public bool OnLane { get; set; }

    // The lane's threads end with the process, which is this benchmark's own.
    [GlobalSetup]
    public void Open() => _strand = OnLane ? new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System).NewStrand(0, "awaits") : null;

    [Benchmark]
    public void Sleep() => Run(Methods.Sleep);

    [Benchmark]
    public void SleepElsewhere() => Run(Methods.SleepElsewhereAsync);

    [Benchmark]
    public void Nested() => Run(Methods.NestedAsync);

    [Benchmark]
    public void NestedWithoutContext() => Run(Methods.NestedWithoutContextAsync);

    [Benchmark]
    public void OneAfterAnother() => Run(Methods.OneAfterAnotherAsync);

    [Benchmark]
    public void AllMadeFirst() => Run(Methods.AllMadeFirstAsync);

    [Benchmark]
    public void AllMadeInside() => Run(Methods.AllMadeInsideAsync);

    private void Run(Func<Task> method) => (_strand is null ? method() : _strand.Run(method)).GetAwaiter().GetResult();
}
