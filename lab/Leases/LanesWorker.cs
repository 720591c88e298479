using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Lab.Leases;

/// <summary>Holdfast's own engine, with its settings as they are, or told to handle all messages in turns. The two settings that would be long beside a story that is told faster follow it.</summary>
internal sealed class LanesWorker : IDisposable
{
    private const string Queue = "orders";

    private static readonly TimeSpan s_ageing = new LaneSchedulerOptions().Ageing;

    private readonly Engine _engine;

    public LanesWorker(Story story, int faster, int threads, bool inTurns, IMachine machine, IBroker broker, Lives lives, Func<double> random)
    {
        var options = new QueueOptions();
        options.Lease.MinMargin /= faster;
        if (inTurns)
            (options.Admission, options.MaxConcurrency) = (AdmissionMode.Fixed, story.Messages);

        // One thread is the published setting: even the leases are kept by it.
        var lanes = machine.NewLanes(new LaneSchedulerOptions
        {
            Threads = threads,
            SingleThread = threads == 1,
            TurnOrder = inTurns ? TurnOrder.RoundRobin : TurnOrder.StartedFirst,
            Ageing = s_ageing / faster,
        });
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
