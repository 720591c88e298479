using Holdfast.Broker;
using Holdfast.Scheduling;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// The engine in a .NET host: built from its settings, started once all else of it has, and drained before anything else of it stops.
/// So no message is taken by a host that then fails to start, and metrics and health checks stay up until the last one is settled.
/// </summary>
internal sealed class EngineHost : IEngine, IHostedLifecycleService, IDisposable
{
    // For the last lines of a log that may stand still.
    private static readonly TimeSpan s_lastLines = TimeSpan.FromSeconds(1);

    private readonly HoldfastOptions _options;
    private readonly TimeProvider _time;
    private readonly SteadyLog _log;
    private readonly Engine _engine;
    private readonly LaneReporter _reporter;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly Lock _gate = new();
    private bool _startsLast;
    private Task? _stopped;

    public EngineHost(
        HoldfastOptions options,
        IEnumerable<QueueRegistration> registrations,
        HoldfastMeter meter,
        IServiceProvider services,
        TimeProvider time,
        ILoggerFactory logs,
        IHostApplicationLifetime lifetime)
    {
        QueueRegistration[] queues = [.. registrations];
        Check(options, queues, services);

        // Before any thread is started: all of these are the host's own code, which may refuse.
        var broker = services.GetRequiredService<IBroker>();
        OptionError[] unfit = [.. Unfit(broker, queues, time)];
        if (unfit.Length > 0)
            throw new InvalidOptionsException(unfit);
        var system = broker.System;
        var store = services.GetService<IIdempotencyStore>();
        var sampling = services.GetRequiredService<RootSampling>();
        var handlers = queues.Select(queue => queue.Build(services)).ToArray();

        (_options, _time, _lifetime) = (options, time, lifetime);
        _log = new SteadyLog(logs.CreateLogger("Holdfast"), Console.Error.WriteLine);
        var threads = options.Threads ?? CpuQuota.WorkerThreads;
        PoolGuard.Prepare();

        _reporter = new LaneReporter(meter, time, _log);
        var lanes = new LaneScheduler(LaneOptions(options, threads), time, _reporter);
        meter.Show(lanes, _reporter);
        var keeper = new LeaseKeeper(lanes, Random.Shared.NextDouble);
        _engine = new Engine(lanes, keeper, meter, broker, new PoolGuard(time, threads, Slots(queues)), queues.Zip(handlers, Run), _log);
        _engine.Failed += StopHost;

        QueueRun Run(QueueRegistration queue, Handle handle)
        {
            var admission = Admission.Of(queue.Options, queue.Queue, lanes, _log);
            var attempts = new Attempts(handle, queue.Options.Retry, admission, time, Random.Shared.NextDouble);
            return new QueueRun(queue.Queue, queue.Options, new QueueMeter(queue.Queue, meter, system), admission, attempts, lanes, _log)
            {
                Completed = new(queue.Queue, store, time, _log),
                Tracer = new(queue.Queue, system, meter, _log, sampling),
            };
        }
    }

    public EngineStatus Status => _engine.Status();

    public IReadOnlyList<LeaseMiss> LastMisses => _engine.LastMisses();

    public LeaseSnapshot Leases(int most) => _engine.Leases(most);

    // Another of the host's services may still fail to start, and .NET then disposes of the host without a stop: what had begun by then would be
    // called off halfway, and each such start would count as a delivery.
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            _engine.RefuseIfOver();
            _startsLast = true;
        }

        return Task.CompletedTask;
    }

    // Not every host knows of StartingAsync and StartedAsync.
    public Task StartAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (!_startsLast)
                _engine.Start();
        }

        return Task.CompletedTask;
    }

    // A stop may have been asked for meanwhile: then nothing is taken that would only be given back.
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_stopped is null && !_lifetime.ApplicationStopping.IsCancellationRequested)
                _engine.Start();
        }

        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken) => StopOnceAsync();

    // Not every host knows of StoppingAsync; and what runs has DrainTimeout once, however often a stop is asked for.
    public Task StopAsync(CancellationToken cancellationToken) => StopOnceAsync();

    // All else of the host has stopped, and somebody may keep it for long before he disposes of it. A host that was in a hurry may come here while the drain goes on.
    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        if (_stopped is { IsCompleted: true })
            _engine.End();
        return Task.CompletedTask;
    }

    public void Dispose()
    {
        _engine.Dispose();
        _reporter.Dispose();
        _log.WrittenAsync().Wait(s_lastLines);
    }

    /// <summary>How many messages may be in hand at once, of all queues.</summary>
    internal static int Slots(IEnumerable<QueueRegistration> queues) =>
        (int)Math.Min(queues.Sum(queue => (long)queue.Options.MaxConcurrency), int.MaxValue);

    // A host that is told to stop while others of its services still start makes their start fail, and its own with it: nobody would hear of what failed here.
    private void StopHost()
    {
        if (_startsLast && _lifetime.ApplicationStarted is { CanBeCanceled: true, IsCancellationRequested: false } started)
            started.UnsafeRegister(static host => ((EngineHost)host!)._lifetime.StopApplication(), this);
        else
            _lifetime.StopApplication();
    }

    private Task StopOnceAsync()
    {
        lock (_gate)
            return _stopped ??= StopAsync();
    }

    // What ends a drain or a close may be a thread of the lanes or of the broker's client, and whoever stops a host may well block the one that he is told on.
    private async Task StopAsync()
    {
        await _engine.DrainAsync(_options.DrainTimeout).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await _engine.CloseAsync().ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await _log.WrittenAsync().WaitAsync(s_lastLines, _time).ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.SuppressThrowing);
    }

    private static void Check(HoldfastOptions options, QueueRegistration[] queues, IServiceProvider services)
    {
        List<OptionError> errors = [.. OptionsCheck.Of(options), .. queues.SelectMany(queue => Mistakes(queue, isOnlyOne: queues.Length == 1))];
        if (queues.Length == 0)
            errors.Add(new("Queue", "No queue is handled; call Handle on what AddHoldfast returns, or AddHoldfastSenders in its place where the host only sends."));
        foreach (var twice in queues.GroupBy(queue => queue.Queue).Where(group => group.Count() > 1))
            errors.Add(new("Queue", $"{twice.Key} is handled twice; name each queue once."));
        if (queues.Any(queue => string.IsNullOrWhiteSpace(queue.Queue)))
            errors.Add(new("Queue", "The name is empty; set one, such as orders."));
        foreach (var stray in services.GetServices<MiddlewareRegistration>().Where(one => one.Queue is not null && !queues.Any(queue => queue.Queue == one.Queue)))
            errors.Add(new("Queue", $"{stray.Queue} has middleware, but is not handled; name a queue that is, or none for all of them."));
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(IBroker)) == false)
            errors.Add(new("Broker", "No broker is named; call UseBroker on what AddHoldfast returns."));
        if (errors.Count > 0)
            throw new InvalidOptionsException([.. errors.Distinct()]);
    }

    private static IEnumerable<OptionError> Unfit(IBroker broker, QueueRegistration[] queues, TimeProvider time)
    {
        if (broker.Time != time)
            yield return new("TimeProvider", "The broker's is another than the host's, and leases are reckoned by both; give the broker's options the one that the host's services have.");
        foreach (var queue in queues.Where(queue => !broker.HasSessions && OrderKey.IsSession(queue.Options.OrderBy ?? "")))
            yield return new("OrderBy", $"session orders nothing in {queue.Queue}, whose broker has no sessions; set the property that holds the key.");
    }

    private static IEnumerable<OptionError> Mistakes(QueueRegistration queue, bool isOnlyOne) =>
        OptionsCheck.Of(queue.Options).Select(error => isOnlyOne ? error : error with { Setting = $"{error.Setting} of {queue.Queue}" });

    private static LaneSchedulerOptions LaneOptions(HoldfastOptions options, int threads) => new()
    {
        Threads = threads,
        SingleThread = options.SingleThread,
        MaxSpareThreads = options.MaxSpareThreads,
        Niceness = options.Niceness,
        LongTurn = options.LongTurn,
        TurnOrder = options.TurnOrder,
        Ageing = options.Ageing,
    };
}
