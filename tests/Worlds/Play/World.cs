using Holdfast.Broker.InMemory;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Workers and a broker in virtual time, as a plan has it, from the first message until all is settled and stopped.</summary>
internal sealed class World : IDisposable
{
    public const string Queue = "orders";

    private const long MostSteps = 2_000_000;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(20);
    private static readonly TimeSpan s_untilIdle = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan s_drain = TimeSpan.FromSeconds(5);

    private readonly InMemoryBroker _broker;
    private readonly Worker?[] _workers;
    private readonly List<Worker> _lives = [];
    private readonly int[] _attempts;
    private int _stopping;
    private long _steps;
    private bool _isCalm;
    private bool _isDone;
    private bool _isOver;

    public World(WorldPlan plan, Carriers carriers)
    {
        Plan = plan;
        Machine = new VirtualMachine(ties: new Random(plan.Seed), carriers: carriers);
        Log = new EventLog(Machine.Time);
        _broker = new InMemoryBroker(new()
        {
            TimeProvider = Machine.Time,
            LockDuration = plan.Broker.Lock,
            HoldLimit = plan.Broker.HoldLimit,
            ConnectionBound = plan.Broker.IsConnectionBound,
            MaxDeliveries = plan.Broker.MaxDeliveries,
        });
        Desk = new Desk(_broker, plan.Broker, Log);
        _workers = new Worker?[plan.Workers.Length];
        _attempts = new int[plan.Messages.Length];
    }

    public WorldPlan Plan { get; }

    public VirtualMachine Machine { get; }

    public EventLog Log { get; }

    public Desk Desk { get; }

    public TimeSpan Now => Machine.Time.Elapsed;

    public int HeldBy(int life) => _lives[life].Held;

    /// <summary>The result of what the embedded broker does at once.</summary>
    public static T Result<T>(ValueTask<T> done) => done.IsCompleted ? done.GetAwaiter().GetResult() : throw new InvalidOperationException("The broker did not answer at once.");

    /// <inheritdoc cref="Result{T}"/>
    public static void Await(ValueTask done)
    {
        if (!done.IsCompleted)
            throw new InvalidOperationException("The broker did not answer at once.");
        done.GetAwaiter().GetResult();
    }

    public int CountAttempt(int message) => ++_attempts[message];

    /// <summary>Does something at a later time of the world; at once where that is now.</summary>
    public void After(TimeSpan time, Action act)
    {
        if (time <= TimeSpan.Zero)
            act();
        else
            Machine.Time.CreateTimer(static act => ((Action)act!)(), act, time, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Ends once all has happened that is due now.</summary>
    public Task Moment()
    {
        var moment = new TaskCompletionSource();
        Machine.Time.CreateTimer(static moment => ((TaskCompletionSource)moment!).SetResult(), moment, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        return moment.Task;
    }

    public void Play()
    {
        for (var i = 0; i < Plan.Messages.Length; i++)
        {
            var number = i;
            After(Plan.Messages[i].SentAt, () => Desk.Send(number, Plan));
        }

        for (var i = 0; i < Plan.Workers.Length; i++)
        {
            var number = i;
            After(Plan.Workers[i].StartAt, () => Start(number));
        }

        foreach (var trouble in Plan.Troubles)
            After(trouble.At, () => Strike(trouble));
        After(Plan.CalmAt, Calm);

        Machine.RunUntil(() => Counted() && _isDone, s_patience);
        Machine.RunUntil(() => Counted() && _workers.All(worker => worker is not { IsUp: true, IsIdle: false }), s_untilIdle);
        foreach (var worker in _workers)
        {
            if (worker is { IsUp: true })
                worker.NoteQuiet();
        }

        _isOver = true;
        for (var i = 0; i < _workers.Length; i++)
            Stop(i, s_drain, null);
        Machine.RunUntil(() => Counted() && _stopping == 0, s_untilIdle);
        Desk.TakeStock();
    }

    public void Dispose()
    {
        Machine.Dispose();
        foreach (var life in _lives)
            life.Dispose();
        Await(_broker.DisposeAsync());
    }

    private void Start(int number)
    {
        if (_isOver || _workers[number] is { IsUp: true })
            return;

        // A new life has the old one's place, and its weather.
        var weather = _workers[number]?.Weather ?? new Weather { Distance = Plan.Workers[number].Distance };
        var worker = new Worker(this, number, _broker, _lives.Count, weather);
        _lives.Add(worker);
        _workers[number] = worker;
        worker.Start();
    }

    private void Strike(in Trouble trouble)
    {
        var (number, size, lasts, kind) = (trouble.Worker, trouble.Size, trouble.For, trouble.Kind);
        if (_isCalm || _workers[number] is not { } worker)
            return;

        Log.Add(EventKind.Trouble, _lives.IndexOf(worker), a: (long)kind);
        switch (kind)
        {
            case TroubleKind.Revocation:
                Desk.Revoke(size);
                break;
            case TroubleKind.Cut:
                Cut(worker, lasts);
                break;
            case TroubleKind.BrokerRestart:
                foreach (var each in _workers.OfType<Worker>())
                    Cut(each, lasts);
                Desk.Revoke(int.MaxValue);
                break;
            case TroubleKind.Halt when worker.IsUp:
                worker.Halt();
                After(lasts, worker.Resume);
                break;
            case TroubleKind.Crash when worker.IsUp:
                worker.Crash();
                After(lasts, () => Start(number));
                break;
            case TroubleKind.Stop:
                Stop(number, TimeSpan.FromMilliseconds(size), () => After(lasts, () => Start(number)));
                break;
            case TroubleKind.Halt or TroubleKind.Crash:
                break;
            default:
                worker.Weather.Set(kind, size);
                After(lasts, () => worker.Weather.Set(kind, 0));
                break;
        }
    }

    private void Cut(Worker worker, TimeSpan lasts)
    {
        worker.Weather.Cuts++;
        worker.Link.Cut();
        After(lasts, () => worker.Weather.Cuts--);
    }

    private void Stop(int number, TimeSpan timeout, Action? then)
    {
        if (_workers[number] is not { IsUp: true } worker)
            return;

        _stopping++;
        worker.Stop(timeout, () =>
        {
            _stopping--;
            then?.Invoke();
        });
    }

    // What has begun goes on to its end; whoever crashed or stopped comes back now.
    private void Calm()
    {
        _isCalm = true;
        for (var i = 0; i < _workers.Length; i++)
            Start(i);
        Look();
    }

    private void Look()
    {
        _isDone = Log.Completed + Desk.Dead >= Plan.Messages.Length;
        if (!_isDone)
            After(s_look, Look);
    }

    private bool Counted() => ++_steps < MostSteps ? true : throw new InvalidOperationException("There is always more to do at this instant.");
}
