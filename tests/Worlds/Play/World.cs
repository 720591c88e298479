using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Workers and brokers in virtual time, as a plan has it, from the first message until all is settled and stopped.</summary>
internal sealed class World : IDisposable
{
    private const long MostSteps = 2_000_000;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(20);
    private static readonly TimeSpan s_untilIdle = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan s_drain = TimeSpan.FromSeconds(5);

    private readonly Worker?[] _workers;
    private readonly List<Worker> _lives = [];
    private readonly int[] _attempts;
    private readonly int[] _neighbours;
    private readonly HashSet<string>[] _kept;
    private int _stopping;
    private long _steps;
    private bool _isCalm;
    private bool _isDone;
    private bool _isOver;

    public World(WorldPlan plan, Carriers carriers, List<Event> events)
    {
        Plan = plan;
        Machine = new VirtualMachine(ties: new Random(plan.Seed), carriers: carriers);
        Log = new EventLog(Machine.Time, events);
        Desks = [.. plan.Queues.Select((queue, number) => new Desk(number, queue.Broker, Machine.Time, Log))];
        _workers = new Worker?[plan.Workers.Length];
        _attempts = new int[plan.Messages.Length];
        _neighbours = new int[plan.Workers.Length];
        _kept = [.. plan.Workers.Select(_ => new HashSet<string>())];
    }

    public WorldPlan Plan { get; }

    public VirtualMachine Machine { get; }

    public EventLog Log { get; }

    /// <summary>One for each queue.</summary>
    public Desk[] Desks { get; }

    public TimeSpan Now => Machine.Time.Elapsed;

    /// <summary>What the store of a worker's place has kept, through all the lives there.</summary>
    public HashSet<string> KeptBy(int worker) => _kept[worker];

    public int HeldBy(int life, int queue) => _lives[life].HeldOf(queue);

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
            After(Plan.Messages[i].SentAt, () => Desks[Plan.QueueOf(number)].Send(number, Plan));
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
        Machine.RunUntil(() => Counted() && _workers.All(worker => worker is not { IsUp: true, IsQuiet: false }), s_untilIdle);
        foreach (var worker in _workers)
        {
            if (worker is { IsUp: true })
                worker.NoteQuiet();
        }

        _isOver = true;
        for (var i = 0; i < _workers.Length; i++)
            Stop(i, s_drain, null);
        Machine.RunUntil(() => Counted() && _stopping == 0, s_untilIdle);
        foreach (var desk in Desks)
            desk.TakeStock();
    }

    public void Dispose()
    {
        Machine.Dispose();
        foreach (var life in _lives)
            life.Dispose();
        foreach (var desk in Desks)
            desk.Dispose();
    }

    private void Start(int number)
    {
        if (_isOver || _workers[number] is { IsUp: true })
            return;

        // A new life has the old one's place, and its weather.
        var weather = _workers[number]?.Links.Select(link => link.Weather) ?? Desks.Select(_ => new Weather { Distance = Plan.Workers[number].Distance });
        var worker = new Worker(this, number, _lives.Count, [.. weather]);
        worker.Crowd(_neighbours[number]);
        _lives.Add(worker);
        _workers[number] = worker;
        worker.Start();
    }

    private void Strike(in Trouble trouble)
    {
        var (number, queue, size, lasts, kind) = (trouble.Worker, trouble.Queue, trouble.Size, trouble.For, trouble.Kind);
        if (_isCalm || _workers[number] is not { } worker)
            return;

        Log.Add(EventKind.Trouble, _lives.IndexOf(worker), a: (long)kind);
        switch (kind)
        {
            case TroubleKind.Revocation:
                Desks[queue].Revoke(size);
                break;
            case TroubleKind.Cut:
                Cut(worker.Links[queue], lasts);
                break;
            case TroubleKind.BrokerRestart:
                foreach (var each in _workers.OfType<Worker>())
                    Cut(each.Links[queue], lasts);
                Desks[queue].Revoke(int.MaxValue);
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
            case TroubleKind.Neighbours:
                Crowd(number, size);
                After(lasts, () => Crowd(number, -size));
                break;
            default:
                var weather = worker.Links[queue].Weather;
                weather.Set(kind, size);
                After(lasts, () => weather.Set(kind, 0));
                break;
        }
    }

    private void Cut(Link link, TimeSpan lasts)
    {
        link.Weather.Cuts++;
        link.Cut();
        After(lasts, () => link.Weather.Cuts--);
    }

    private void Crowd(int number, int more)
    {
        _neighbours[number] += more;
        _workers[number]?.Crowd(_neighbours[number]);
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
        _isDone = Log.Completed + Desks.Sum(desk => desk.Dead) >= Plan.Messages.Length;
        if (!_isDone)
            After(s_look, Look);
    }

    private bool Counted() => ++_steps < MostSteps ? true : throw new InvalidOperationException("There is always more to do at this instant.");
}
