using Holdfast.Broker;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>All that runs: the lanes, the LeaseKeeper, and for each queue its Pump. Starts them, drains them, says how they are.</summary>
internal sealed class Engine : IDisposable
{
    // After the drain's deadline: for handlers that heed their token to come back, and then for the broker to take the rest back.
    private static readonly TimeSpan s_lastWord = TimeSpan.FromSeconds(1);

    // A line of a log has room for so many names; there may be hundreds of threads.
    private const int MostNamed = 20;

    private readonly LaneScheduler _lanes;
    private readonly LeaseKeeper _keeper;
    private readonly HoldfastMeter _meter;
    private readonly PoolGuard _pool;
    private readonly QueueRun[] _queues;
    private readonly Pump[] _pumps;
    private readonly ILogger _log;
    private Task _pumping = Task.CompletedTask;
    private int _hasFailed;
    private bool _hasCrashed;
    private bool _isOver;
    private bool _hasEnded;

    public Engine(LaneScheduler lanes, LeaseKeeper keeper, HoldfastMeter meter, IBroker broker, PoolGuard pool, IEnumerable<QueueRun> queues, ILogger log)
    {
        _lanes = lanes;
        _keeper = keeper;
        _meter = meter;
        _pool = pool;
        _log = log;
        _queues = [.. queues];
        _pumps = [.. _queues.Select(queue => new Pump(queue, broker, keeper))];

        _meter.Show(_queues);
        _meter.ListenerFailed = problem => _lanes.TellInTurn(() => _log.ListenerFailed(ErrorText.WithType(problem)));
        _lanes.TimedWorkCrashed += Crash;
        _lanes.Add(keeper);
        _lanes.Add(new Pacer(lanes, pool, _queues));
        if (lanes.HasThreads)
            _lanes.Add(pool);
    }

    /// <summary>Raised once when the engine can't go on.</summary>
    public event Action? Failed;

    public EngineState State { get; private set; }

    /// <summary>Why the engine can't go on, where it can't.</summary>
    public string? Fault { get; private set; }

    /// <summary>How long the turns that still run are waited for when it ends.</summary>
    public TimeSpan LastPatience { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Once, however often it is called.</summary>
    /// <exception cref="InvalidOperationException">It was stopped.</exception>
    public void Start()
    {
        RefuseIfOver();
        if (State != EngineState.Starting)
            return;

        State = EngineState.Running;

        // Handlers are no part of the work, or of the trace, of whoever starts the host.
        using var flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _pumping = Task.WhenAll(_pumps.Select(PumpAsync));
    }

    /// <exception cref="InvalidOperationException">It was stopped.</exception>
    public void RefuseIfOver()
    {
        if (_isOver)
            throw new InvalidOperationException("The engine was stopped, and does not start again: what it held is given back, and its queues are closed. Build a new host.");
    }

    /// <summary>
    /// Takes nothing more, gives back what has not begun, lets what runs run to its end and settles it, and keeps every lease meanwhile.
    /// At the deadline it calls off and gives back the rest, so that it is delivered again at once.
    /// </summary>
    public async Task DrainAsync(TimeSpan timeout)
    {
        _isOver = true;
        if (State == EngineState.Running)
            State = EngineState.Draining;

        // Whoever stops a host may block his thread until this has ended, and with it all that his context would run.
        if (_lanes.HasThreads)
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        foreach (var pump in _pumps)
            pump.Stop();

        // Not after the pumps have ended: they may wait for a turn of the Receive lane, and that comes after all handlers'.
        var unbegun = Task.WhenAll(InHand().Select(journey => journey.GiveBackUnbegunAsync()));
        var empty = EmptyAsync();
        _log.Draining(InHand().Count(journey => journey.IsBeingHandled), timeout.TotalSeconds);

        // Without the lease loop nothing is kept any more, so there is nothing to wait for.
        var patience = _hasCrashed ? TimeSpan.Zero : timeout;
        if (!await WithinAsync(empty, patience))
            await CallOffAsync(empty, patience);
        await WithinAsync(unbegun, s_lastWord);

        if (State != EngineState.Failed)
            State = EngineState.Stopped;
    }

    public EngineStatus Status() => new()
    {
        State = State,
        Fault = Fault,
        LeaseLoopSilence = State == EngineState.Stopped ? TimeSpan.Zero : _lanes.TimedWorkSilence,
        Threads = _lanes.Threads,
        ThreadsBlocked = _lanes.ThreadsBlocked,
        Lanes = LaneStatuses(_lanes.Activity()),
        Queues = [.. _queues.Select(queue => queue.Status())],
    };

    public LeaseMiss[] LastMisses() => [.. _queues.SelectMany(queue => queue.Meter.LastMisses.ToArray()).OrderByDescending(miss => miss.At).Take(RecentMisses.Most)];

    public LeaseSnapshot Leases(int most) => LeaseSurvey.Take(InHand(), _lanes, most);

    // Side by side, for each that hangs takes its time.
    public Task CloseAsync() => Task.WhenAll(_queues.Select(queue => queue.CloseAsync().AsTask()));

    /// <summary>Ends its threads, and before that calls off what still runs: after a drain, what did not heed that. What it has counted can still be read.</summary>
    public void End()
    {
        if (_hasEnded)
            return;

        // Who ends it without a stop: once the lanes have ended nobody keeps leases, so nothing may begin then.
        _hasEnded = _isOver = true;
        foreach (var pump in _pumps)
            pump.Stop();
        foreach (var journey in InHand())
            journey.Forsake();
        var late = _lanes.Stop(LastPatience);
        if (late.Count > 0)
            _log.TurnsLeft(late.Count, string.Join(", ", late.Take(MostNamed)));
        _keeper.Dispose();
        _pool.Dispose();
    }

    public void Dispose()
    {
        End();
        _meter.Dispose();
    }

    private async Task PumpAsync(Pump pump)
    {
        // Not in the context of whoever starts a host: he may block it when he stops it.
        await _lanes.Turn(Lane.Receive);
        try
        {
            await pump.RunAsync();
        }
        catch (Exception error)
        {
            var problem = ErrorText.Of(error);
            pump.Queue.Complain(problem);
            _log.Impossible(pump.Queue.Queue, problem);
            Fail($"Can't consume {pump.Queue.Queue}: {problem}");
        }
    }

    private async Task EmptyAsync()
    {
        await _pumping;
        await Task.WhenAll(_queues.Select(queue => queue.InHand.EmptyAsync()));
    }

    private async Task CallOffAsync(Task empty, TimeSpan timeout)
    {
        // What is handled already, and waits for the broker to hear of it, has no handler that ran too long.
        var late = InHand();
        if (late.Count(journey => journey.IsBeingHandled) is > 0 and var running)
        {
            _meter.DrainTimedOut();
            _log.DrainTimedOut(running, timeout.TotalSeconds);
        }

        foreach (var journey in late)
            journey.CallOff();
        if (await WithinAsync(empty, s_lastWord))
            return;

        late = InHand();
        await WithinAsync(Task.WhenAll(late.Select(journey => journey.GiveBackRunningAsync())), s_lastWord);

        // Receivers are closed next, and a settlement that is sent again would fail by that.
        foreach (var journey in late)
            journey.GiveUp();
    }

    private LaneStatus[] LaneStatuses(LaneActivity activity) =>
        [.. from lane in Enum.GetValues<Lane>()
            let waits = _lanes.Waits(lane)
            select new LaneStatus(Names.Of(lane), _lanes.Queued(lane)) { Busy = activity.Busy(lane), Waits = waits.Count, Waited = waits.Total }];

    private Journey[] InHand() => [.. _queues.SelectMany(queue => queue.InHand.All())];

    private async Task<bool> WithinAsync(Task task, TimeSpan timeout)
    {
        if (task.IsCompleted || timeout <= TimeSpan.Zero)
            return task.IsCompleted;

        using var inTime = new CancellationTokenSource();
        var first = await Task.WhenAny(task, Task.Delay(timeout, _lanes.Clock.Time, inTime.Token));
        inTime.Cancel();
        return first == task;
    }

    private void Crash(Exception crash)
    {
        _hasCrashed = true;
        _log.LeaseLoopCrashed(crash);
        Fail("The lease loop crashed.");
    }

    private void Fail(string fault)
    {
        if (Interlocked.Exchange(ref _hasFailed, 1) != 0)
            return;

        Fault = fault;
        State = EngineState.Failed;
        Failed?.Invoke();
    }
}
