namespace Holdfast.Virtual;

/// <summary>
/// A thread in virtual time: it runs one step after another, each when it is woken, and holds a real thread only while it waits inside a step.
/// </summary>
public sealed class VirtualThread
{
    private readonly VirtualProcess _process;
    private readonly Func<bool> _step;
    private Carrier? _carrier;
    private State _state;

    /// <param name="process">Whose it is.</param>
    /// <param name="name">Who is named when something is wrong.</param>
    /// <param name="step">Returns whether there may be more to do; otherwise the thread rests until it is woken.</param>
    internal VirtualThread(VirtualProcess process, string name, Func<bool> step)
    {
        _process = process;
        _step = step;
        Name = name;
    }

    private enum State
    {
        Resting,
        Queued,
        Running,
        Blocked,
        Ended,
    }

    public string Name { get; }

    public bool HasEnded => _state == State.Ended;

    /// <summary>How often it has waited inside a step: tells one wait from the next.</summary>
    public int Waits { get; private set; }

    public bool IsWaiting => _state == State.Blocked;

    /// <summary>Told when it begins to burn CPU, and others may have something to do meanwhile.</summary>
    internal Action? OnBurn { get; set; }

    /// <summary>Told when it begins to wait without burning CPU.</summary>
    internal Action? OnSleep { get; set; }

    /// <summary>Whose cores it burns on.</summary>
    internal Processor Processor => _process.Processor;

    /// <summary>What it still has to burn: the processor's own.</summary>
    internal BurnState Burning { get; } = new();

    /// <summary>Whether its process was killed while it waited inside a step: what it waits in throws.</summary>
    internal bool IsKilled => _process.IsDead;

    /// <summary>Lets it run its next step, if it rests.</summary>
    public void Wake()
    {
        if (_state == State.Resting && !_process.IsDead)
            Queue();
    }

    /// <summary>Lets it go on inside its step.</summary>
    internal void Unblock()
    {
        if (_state == State.Blocked)
            Queue();
    }

    internal void End()
    {
        _state = State.Ended;
        _process.Forget(this);
    }

    internal void BlockOn(Carrier carrier)
    {
        _state = State.Blocked;
        _carrier = carrier;
        Waits++;
    }

    /// <summary>Takes it off the real thread that its frames wait on, for them to go on; null where there are none.</summary>
    internal Carrier? LeaveCarrier()
    {
        var carrier = _carrier;
        _carrier = null;
        _state = State.Running;
        return carrier;
    }

    internal void Step()
    {
        bool hasMore;
        try
        {
            hasMore = _step();
        }
        catch (VirtualThreadEndedException)
        {
            hasMore = false;
        }

        if (_process.IsDead)
            End();
        if (_state != State.Running)
            return;
        _state = State.Resting;
        if (hasMore)
            Queue();
    }

    /// <summary>Its process was killed: what it waits in throws; what it would have done is not done.</summary>
    internal void Kill(VirtualMachine machine)
    {
        if (_state is State.Resting or State.Queued && _carrier is null)
        {
            machine.Unqueue(this);
            End();
        }
        else if (_state == State.Blocked)
        {
            Processor.Halt(this);
            _state = State.Queued;
            machine.Queue(this);
        }
    }

    internal void ThrowIfKilled()
    {
        if (_process.IsDead)
            throw new VirtualThreadEndedException();
    }

    private void Queue()
    {
        _state = State.Queued;
        _process.Queue(this);
    }
}

/// <summary>Unwinds a virtual thread whose process was killed. What is caught on the way is no longer heard of.</summary>
public sealed class VirtualThreadEndedException : Exception;
