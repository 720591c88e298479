namespace Holdfast.Virtual;

/// <summary>Threads and timers of a virtual machine that stand still together while it is halted, and never go on once it is killed.</summary>
public sealed class VirtualProcess
{
    private readonly VirtualMachine _machine;
    private readonly List<VirtualThread> _threads = [];
    private readonly List<VirtualThread> _queued = [];
    private readonly List<Action> _arrived = [];

    internal VirtualProcess(VirtualMachine machine, Processor processor, bool hasOwnCores)
    {
        _machine = machine;
        Processor = processor;
        HasOwnCores = hasOwnCores;
        Time = new ProcessTime(this, machine.Time);
    }

    /// <summary>The machine's clock; timers set on it fire late while the process is halted, and never once it is dead.</summary>
    public TimeProvider Time { get; }

    public VirtualMachine Machine => _machine;

    /// <summary>How many threads of others burn without end on its cores.</summary>
    public int Neighbours
    {
        get => Processor.Neighbours;
        set => Processor.Neighbours = value;
    }

    /// <summary>How many timers on its clock are set.</summary>
    public int Timers { get; internal set; }

    public bool IsHalted { get; private set; }

    public bool IsDead { get; private set; }

    internal Processor Processor { get; }

    /// <summary>Whether what is burnt there, and waited for, is all its own.</summary>
    internal bool HasOwnCores { get; }

    /// <summary>Starts a thread that runs its body once.</summary>
    public VirtualThread Start(string name, Action body)
    {
        VirtualThread? thread = null;
        thread = NewHand(name, () =>
        {
            body();
            thread!.End();
            return false;
        });
        thread.Wake();
        return thread;
    }

    /// <summary>A thread that runs a step each time it is woken, and again while that returns true.</summary>
    public VirtualThread NewHand(string name, Func<bool> step)
    {
        var thread = new VirtualThread(this, name, step);
        _threads.Add(thread);
        return thread;
    }

    /// <summary>Something comes to the process from outside: it takes it in now, once it is no longer halted, or never.</summary>
    public void Arrive(Action what)
    {
        if (IsHalted && !IsDead)
            _arrived.Add(what);
        else if (!IsDead)
            what();
    }

    /// <summary>Its threads stand still, wherever they are, while time passes.</summary>
    public void Halt()
    {
        if (IsHalted || IsDead)
            return;

        IsHalted = true;
        foreach (var thread in _threads)
        {
            Processor.Halt(thread);
            if (_machine.Unqueue(thread))
                _queued.Add(thread);
        }
    }

    /// <summary>It goes on: timers that came due meanwhile, and what arrived, come first.</summary>
    public void Resume()
    {
        if (!IsHalted || IsDead)
            return;

        IsHalted = false;
        foreach (var thread in _threads)
            Processor.Resume(thread);
        foreach (var thread in _queued)
            _machine.Queue(thread);
        _queued.Clear();
        Action[] arrived = [.. _arrived];
        _arrived.Clear();
        foreach (var what in arrived)
            Arrive(what);
    }

    /// <summary>None of its threads runs on, none of its timers fires any more.</summary>
    public void Kill()
    {
        if (IsDead)
            return;

        IsDead = true;
        foreach (var thread in _threads.ToArray())
            thread.Kill(_machine);

        // Those left were about to go on inside a step: they do, and end there.
        foreach (var thread in _queued.Where(thread => !thread.HasEnded))
            _machine.Queue(thread);
        _queued.Clear();
        _arrived.Clear();
    }

    internal void Forget(VirtualThread thread) => _threads.Remove(thread);

    internal void Queue(VirtualThread thread)
    {
        if (IsHalted)
            _queued.Add(thread);
        else
            _machine.Queue(thread);
    }
}
