using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Lab.Leases;

/// <summary>Holdfast's own engine, with its settings as they are but for one. The two that would be long beside a story that is told faster follow it.</summary>
internal sealed class LanesWorker : IDisposable
{
    private const string Queue = "orders";

    /// <summary>How long a message may wait for a turn before it is given one in eight: less than by default, so that fewer turns are left for the last message to do alone.</summary>
    public static readonly TimeSpan Ageing = TimeSpan.FromSeconds(0.75);

    private readonly Engine _engine;

    public LanesWorker(Story story, int faster, int threads, IMachine machine, IBroker broker, Lives lives, Func<double> random)
    {
        var options = new QueueOptions();
        options.Lease.MinMargin /= faster;

        // One thread is the published setting: even the leases are kept by it.
        var lanes = machine.NewLanes(new LaneSchedulerOptions { Threads = threads, SingleThread = threads == 1, Ageing = Ageing / faster });
        lives.SeeThreads(lanes.Threads);
        var meter = new HoldfastMeter();
        var admission = new Admission(options, lanes.Threads);
        var attempts = new Attempts(HandleAsync, options.Retry, admission, machine.Time, random);
        var queue = new QueueRun(Queue, options, new QueueMeter(Queue, meter), admission, attempts, lanes, NullLogger.Instance)
        {
            Completed = new(Queue, null, machine.Time, NullLogger.Instance),
            Tracer = new(Queue, broker.System, meter, NullLogger.Instance),
        };
        _engine = new Engine(lanes, new LeaseKeeper(lanes, random), meter, broker, new(machine.Time, lanes.Threads, options.MaxConcurrency), [queue], NullLogger.Instance);
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
