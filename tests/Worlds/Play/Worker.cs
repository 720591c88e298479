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
    private readonly Link[] _links;
    private readonly QueueRun[] _queues;
    private readonly Engine _engine;

    public Worker(World world, int number, int life, IReadOnlyList<Weather> weather)
    {
        var plan = world.Plan.Workers[number];
        _world = world;
        _number = number;
        _life = life;
        _process = world.Machine.NewProcess(plan.Cores);
        var random = new Random(unchecked((world.Plan.Seed * 31) + life));
        var store = plan.Store is { } place ? new Store(place, world.KeptBy(number), world, _process, life, random) : null;
        _links = [.. weather.Select((each, queue) => new Link(world, queue, _process, life, each, store, random))];
        Handler = new Handler(world, _process, life);

        var watch = new LaneWatch(world.Log, life);
        _lanes = new VirtualLanes(_process, new() { Threads = plan.Threads, SingleThread = plan.IsSingleThread, TurnOrder = plan.TurnOrder, Ageing = plan.Ageing }, watch);
        watch.Lanes = _lanes.Scheduler;
        var meter = new HoldfastMeter();
        var broker = new Links(_links);
        var senders = new Senders(broker);
        _keeper = new LeaseKeeper(_lanes.Scheduler, random.NextDouble);
        _queues = [.. plan.Queues.Select((consumer, queue) => Run(consumer, world.Plan.Queues[queue], _links[queue].Queue))];
        foreach (var queue in _queues)
            watch.Follow(queue.Admission);
        _engine = new Engine(_lanes.Scheduler, _keeper, meter, broker, new(_lanes.Scheduler.Clock.Time, 1, 0), _queues, NullLogger.Instance);

        QueueRun Run(ConsumerPlan consumer, QueuePlan queue, string name)
        {
            var options = Options(consumer, isOrdered: queue.Keys > 0);
            var admission = Admission.Of(options, name, _lanes.Scheduler, NullLogger.Instance);
            var attempts = new Attempts(Publishing.After(Handler.HandleAsync, senders), options.Retry, admission, _process.Time, random.NextDouble);
            return new QueueRun(name, options, new QueueMeter(name, meter), admission, attempts, _lanes.Scheduler, NullLogger.Instance)
            {
                Completed = new(name, store, _process.Time, NullLogger.Instance),
                Tracer = new(name, broker.System, meter, NullLogger.Instance),
            };
        }
    }

    /// <summary>One for each queue.</summary>
    public IReadOnlyList<Link> Links => _links;

    public Handler Handler { get; }

    public bool IsUp { get; private set; }

    /// <summary>Whether nothing is under way in it.</summary>
    public bool IsIdle => _keeper.Held == 0 && Used == 0 && Handler.Running == 0;

    /// <summary>Whether it waits for no answer either.</summary>
    public bool IsQuiet => IsIdle && Unanswered == 0;

    private int Unanswered => _links.Sum(link => link.Unanswered);

    private int Used => _queues.Sum(queue => queue.Admission.Used);

    /// <summary>How many leases of a queue it holds.</summary>
    public int HeldOf(int queue) => (int)_queues[queue].Meter.Held;

    /// <summary>So many threads of others are on its cores.</summary>
    public void Crowd(int neighbours) => _process.Neighbours = neighbours;

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
        foreach (var link in _links)
            _world.After(s_untilMissed, link.Close);
    }

    public void Stop(TimeSpan timeout, Action stopped)
    {
        IsUp = false;
        _process.Arrive(() => _ = StopAsync(timeout, stopped));
    }

    public void Dispose() => _engine.Dispose();

    public void NoteQuiet()
    {
        _world.Log.Add(EventKind.Quiet, _life, a: _keeper.Held, b: Used);
        _world.Log.Add(EventKind.Unanswered, _life, a: Unanswered);
    }

    private static QueueOptions Options(ConsumerPlan plan, bool isOrdered) => new()
    {
        OrderBy = isOrdered ? "session" : null,
        MaxConcurrency = plan.MaxConcurrency,
        MaxBytesInFlight = plan.MaxBytes ?? int.MaxValue,
        Admission = plan.IsAdaptive ? AdmissionMode.Adaptive : AdmissionMode.Fixed,
        Breaker = plan.Breaker ?? new(),
        RateLimit = plan.RateLimit ?? new(),
        Retry = new()
        {
            AttemptTimeout = plan.AttemptTimeout,
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
        _world.Log.Add(EventKind.Closing, _life);
        await _engine.CloseAsync();
        _engine.Dispose();

        // The lanes' own threads would finish first what is queued; here that is done elsewhere, at this same instant.
        await _world.Moment();
        _world.Log.Add(EventKind.Stopped, _life, a: _keeper.Held, b: Used);
        if (Handler.Running == 0)
            _world.Log.Add(EventKind.TimersLeft, _life, a: _process.Timers);
        foreach (var reason in Enum.GetValues<MissReason>())
            _world.Log.Add(EventKind.Missed, _life, a: (long)reason, b: _queues.Sum(queue => queue.Meter.Misses(reason)));
        _process.Kill();
        stopped();
    }
}
