using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Worlds;

/// <summary>One life of a worker: the real engine on lanes of a virtual machine, from its start to its crash or its stop.</summary>
internal sealed class Worker : IDisposable
{
    private static readonly TimeSpan s_untilMissed = TimeSpan.FromMilliseconds(300);
    private readonly World _world;
    private readonly int _number;
    private readonly int _life;
    private readonly VirtualProcess _process;
    private readonly VirtualLanes _lanes;
    private readonly LeaseKeeper _keeper;
    private readonly QueueRun _queue;
    private readonly Engine _engine;

    public Worker(World world, int number, InMemoryBroker broker, int life, Weather weather)
    {
        var plan = world.Plan.Workers[number];
        _world = world;
        _number = number;
        _life = life;
        Weather = weather;
        _process = world.Machine.NewProcess();
        var random = new Random(unchecked((world.Plan.Seed * 31) + life));
        Link = new Link(world, broker, _process, life, weather, random);
        Handler = new Handler(world, _process, life);

        var watch = new LaneWatch(world.Log, life);
        _lanes = new VirtualLanes(_process, new() { Threads = plan.Threads, SingleThread = plan.IsSingleThread, Ageing = plan.Ageing }, watch);
        watch.Lanes = _lanes.Scheduler;
        var meter = new HoldfastMeter();
        var options = Options(plan, isOrdered: world.Plan.Keys > 0);
        var admission = new Admission(options, _lanes.Scheduler.Threads);
        var attempts = new Attempts(Handler.HandleAsync, options.Retry, admission, _process.Time, random.NextDouble);
        _keeper = new LeaseKeeper(_lanes.Scheduler, random.NextDouble);
        _queue = new QueueRun(World.Queue, options, new QueueMeter(World.Queue, meter), admission, attempts, _lanes.Scheduler, NullLogger.Instance)
        {
            Completed = new(World.Queue, null, _process.Time, NullLogger.Instance),
            Tracer = new(World.Queue, Link.System, meter, NullLogger.Instance),
        };
        _engine = new Engine(_lanes.Scheduler, _keeper, meter, Link, new(_lanes.Scheduler.Clock.Time, 1, 0), [_queue], NullLogger.Instance);
    }

    public Link Link { get; }

    public Handler Handler { get; }

    public Weather Weather { get; }

    public int Held => _keeper.Held;

    public bool IsUp { get; private set; }

    /// <summary>Whether nothing is under way in it.</summary>
    public bool IsIdle => _keeper.Held == 0 && _queue.Admission.Used == 0 && Handler.Running == 0;

    public void Start()
    {
        _world.Log.Add(EventKind.Started, _life, a: _number);
        IsUp = true;
        _engine.Start();
    }

    public void Halt()
    {
        _world.Log.Add(EventKind.Halted, _life);
        _process.Halt();
    }

    public void Resume()
    {
        if (!_process.IsHalted || _process.IsDead)
            return;
        _world.Log.Add(EventKind.Resumed, _life);
        _process.Resume();
    }

    /// <summary>Gone between one instruction and the next. The broker finds out after a while.</summary>
    public void Crash()
    {
        _world.Log.Add(EventKind.Crashed, _life);
        IsUp = false;
        _process.Kill();
        _world.After(s_untilMissed, Link.Close);
    }

    public void Stop(TimeSpan timeout, Action stopped)
    {
        IsUp = false;
        _process.Arrive(() => _ = StopAsync(timeout, stopped));
    }

    public void Dispose() => _engine.Dispose();

    public void NoteQuiet() => _world.Log.Add(EventKind.Quiet, _life, a: _keeper.Held, b: _queue.Admission.Used);

    private static QueueOptions Options(WorkerPlan plan, bool isOrdered) => new()
    {
        OrderBy = isOrdered ? "session" : null,
        MaxConcurrency = plan.MaxConcurrency,
        Admission = plan.IsAdaptive ? AdmissionMode.Adaptive : AdmissionMode.Fixed,
        Retry = new()
        {
            Immediate = plan.ImmediateRetries,
            ImmediateDelay = TimeSpan.FromMilliseconds(20),
            MaxDeliveries = plan.MaxDeliveries,
            Delay = plan.RetryDelay,
            MaxDelay = plan.RetryDelay * 4,
        },
    };

    private async Task StopAsync(TimeSpan timeout, Action stopped)
    {
        _world.Log.Add(EventKind.StopAsked, _life, a: timeout.Ticks);
        await _engine.DrainAsync(timeout);
        await _engine.CloseAsync();
        _engine.Dispose();

        // The lanes' own threads would finish first what is queued; here that is done elsewhere, at this same instant.
        await _world.Moment();
        _world.Log.Add(EventKind.Stopped, _life, a: _keeper.Held, b: _queue.Admission.Used);
        if (Handler.Running == 0)
            _world.Log.Add(EventKind.TimersLeft, _life, a: _process.Timers);
        foreach (var reason in Enum.GetValues<MissReason>())
            _world.Log.Add(EventKind.Missed, _life, a: (long)reason, b: _queue.Meter.Misses(reason));
        _process.Kill();
        stopped();
    }
}
