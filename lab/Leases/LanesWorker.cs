using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Lab.Leases;

/// <summary>Holdfast's own engine, with its settings as they are; only what is shorter than its least values follows a story that is told faster.</summary>
internal sealed class LanesWorker : IDisposable
{
    private const string Queue = "orders";

    private readonly Engine _engine;

    public LanesWorker(Story story, double faster, int threads, IMachine machine, IBroker broker, Lives lives, Func<double> random)
    {
        var options = new QueueOptions();
        options.Lease.MinMargin /= faster;

        // One thread is the published setting: even the leases are kept by it.
        var lanes = machine.NewLanes(new LaneSchedulerOptions { Threads = threads, SingleThread = threads == 1 });
        lives.SeeThreads(lanes.Threads);
        var meter = new HoldfastMeter();
        var attempts = new Attempts(HandleAsync, options.Retry, machine.Time, random);
        var queue = new QueueRun(Queue, options, new QueueMeter(Queue, meter), new Admission(options, lanes.Threads), attempts, machine.Time, NullLogger.Instance);
        _engine = new Engine(lanes, new LeaseKeeper(lanes, random), meter, broker, [queue], NullLogger.Instance);
        _engine.Failed += () => lives.Fail(new InvalidOperationException(_engine.Fault));

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            await Handling.RunAsync(story, machine, static () => ValueTask.CompletedTask, () => cancel.IsCancellationRequested);
            return Settlement.Complete;
        }
    }

    public void Start() => _engine.Start();

    public void Dispose() => _engine.Dispose();
}
