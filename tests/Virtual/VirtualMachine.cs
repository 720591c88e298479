using Holdfast.Scheduling;

namespace Holdfast.Virtual;

/// <summary>
/// Threads in virtual time. They are real code on real threads that pass one baton: exactly one runs at any moment, until it burns CPU,
/// sleeps, waits or ends; then whoever can run at this instant does, and then the clock moves to the next event. The same inputs give the same order.
/// </summary>
/// <remarks>
/// What runs outside a virtual thread, a timer's callback and what it continues, takes no time and may not wait.
/// </remarks>
public sealed class VirtualMachine : IDisposable
{
    private readonly Carriers _carriers;
    private readonly bool _ownsCarriers;
    private readonly Random? _ties;
    private readonly Processor _processor;
    private readonly List<VirtualThread> _runnable = [];
    private readonly List<VirtualProcess> _processes = [];
    private readonly Bell _rested = new();
    private readonly VirtualProcess _own;
    private Carrier? _holder;
    private VirtualThread? _current;
    private Func<bool>? _isDone;
    private TimeSpan _end;
    private Exception? _fault;

    /// <param name="cores">How many threads burn at full speed at once; more of them share the cores evenly.</param>
    /// <param name="ties">Who goes first among those that can run at the same instant; null for whoever could first.</param>
    /// <param name="carriers">Real threads to use; null for some of its own.</param>
    public VirtualMachine(int cores = int.MaxValue, Random? ties = null, Carriers? carriers = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(cores, 1);
        _ties = ties;
        _ownsCarriers = carriers is null;
        _carriers = carriers ?? new Carriers();
        _processor = new Processor(this, cores);
        _own = NewProcess();
    }

    public VirtualTime Time { get; } = new();

    /// <summary>How often one real thread handed over to another: what a run costs beside its own code.</summary>
    public long Switches { get; private set; }

    /// <summary>A process: threads and timers that can be halted or killed together.</summary>
    /// <param name="cores">How many it has to itself; null where it shares those of the machine.</param>
    public VirtualProcess NewProcess(int? cores = null)
    {
        var process = new VirtualProcess(this, cores is { } own ? new Processor(this, own) : _processor, hasOwnCores: cores is not null);
        _processes.Add(process);
        return process;
    }

    /// <summary>Starts a thread. It runs its body once, when the machine next runs.</summary>
    public VirtualThread Start(string name, Action body) => _own.Start(name, body);

    /// <summary>Occupies the calling virtual thread and one core for that long, of CPU time.</summary>
    public void Burn(TimeSpan time)
    {
        var thread = Caller();
        if (time <= TimeSpan.Zero)
            return;

        var processor = thread.Processor;
        if (processor.HasIdleCore && TryPass(time))
        {
            processor.Passed(time);
            return;
        }

        thread.OnBurn?.Invoke();
        processor.Begin(thread, time);
        Block(thread);
    }

    /// <summary>Occupies the calling virtual thread, and no core, for that long.</summary>
    public void Sleep(TimeSpan time)
    {
        var thread = Caller();
        if (time <= TimeSpan.Zero || (thread.OnSleep is null && TryPass(time)))
            return;

        thread.OnSleep?.Invoke();
        using var timer = Time.CreateTimer(static thread => ((VirtualThread)thread!).Unblock(), thread, time, Timeout.InfiniteTimeSpan);
        Block(thread);
    }

    /// <summary>Lets this much time pass, doing everything at its time.</summary>
    public void Run(TimeSpan time) => Run(null, time);

    /// <summary>Lets time pass until that is so, which is looked at between any two steps. False if it is not so within that time.</summary>
    public bool RunUntil(Func<bool> isDone, TimeSpan within)
    {
        Run(isDone, within);
        return isDone();
    }

    /// <summary>Ends all threads, wherever they are: what they wait in throws.</summary>
    public void Dispose()
    {
        foreach (var process in _processes.ToArray())
            process.Kill();
        if (_runnable.Count > 0)
            Run(TimeSpan.Zero);
        if (_ownsCarriers)
            _carriers.Dispose();
    }

    internal void Queue(VirtualThread thread)
    {
        if (_holder is not null && Carrier.Current != _holder)
            _fault = new InvalidOperationException($"{thread.Name} was woken from a thread that is not the machine's: something has escaped to the .NET pool.");
        _runnable.Add(thread);
    }

    internal bool Unqueue(VirtualThread thread) => _runnable.Remove(thread);

    /// <summary>Keeps the calling thread inside its step until it is unblocked, while the loop goes on elsewhere.</summary>
    internal void Block(VirtualThread thread)
    {
        thread.ThrowIfKilled();
        var here = Carrier.Current!;
        thread.BlockOn(here);
        _current = null;
        HandOver(_carriers.Take()).Begin(this);
        here.Await();
        thread.ThrowIfKilled();
    }

    internal VirtualThread Caller()
    {
        var thread = Carrier.Current is { } here && here == _holder ? _current : null;
        if (thread is null)
            throw new InvalidOperationException("Only a virtual thread can burn, sleep or wait, and only while its machine runs.");
        thread.ThrowIfKilled();
        return thread;
    }

    /// <summary>Runs what there is to run, until the time is up or the loop has gone elsewhere. On a carrier, at the bottom of its stack.</summary>
    internal void Loop(Carrier here)
    {
        try
        {
            while (_fault is null && _isDone?.Invoke() != true)
            {
                if (_runnable.Count == 0)
                {
                    if (Time.FireNext(_end))
                        continue;
                    break;
                }

                var next = TakeRunnable();
                _current = next;
                if (next.LeaveCarrier() is { } carrier)
                {
                    _carriers.Return(here);
                    HandOver(carrier).Resume();
                    return;
                }

                next.Step();
                _current = null;
            }
        }
        catch (Exception fault)
        {
            _fault = fault;
        }

        _current = null;
        _holder = null;
        _carriers.Return(here);
        _rested.Ring();
    }

    private Carrier HandOver(Carrier to)
    {
        Switches++;
        _holder = to;
        return to;
    }

    private void Run(Func<bool>? isDone, TimeSpan time)
    {
        if (_holder is not null)
            throw new InvalidOperationException("The machine runs already.");

        (_isDone, _end) = (isDone, Time.Elapsed + time);
        HandOver(_carriers.Take()).Begin(this);
        _rested.Wait();
        if (Interlocked.Exchange(ref _fault, null) is { } fault)
            throw new InvalidOperationException($"At {Time.Elapsed}: {fault.Message}", fault);
    }

    // With nothing else to do until then, time passes without anybody being asked.
    private bool TryPass(TimeSpan time)
    {
        if (_runnable.Count > 0 || Time.Elapsed + time > _end || Time.UntilNextTimer <= time)
            return false;
        Time.Advance(time);
        return true;
    }

    private VirtualThread TakeRunnable()
    {
        var index = _ties is null || _runnable.Count == 1 ? 0 : _ties.Next(_runnable.Count);
        var next = _runnable[index];
        _runnable.RemoveAt(index);
        return next;
    }
}
